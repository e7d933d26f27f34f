// Several checkpoints side by side: of the first property that two of them have what each is, what
// is proved of it, what is attained, how far these are apart and what came of what was asked; of
// every other such property the same, folded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/checkpoint_reading.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// A checkpoint whose bounds may be shown.
struct Compared {
  std::string name;  // text: unique on the page
  std::string card;  // the id of its card
  const Input* input;
  Checkpoint head;
};

// A card; the page's script makes its columns something to sort by. "" where no property is of two
// checkpoints.
std::string checkpoint_table(const std::vector<Compared>& checkpoints, const Options& options);

}  // namespace sinkproof::report
