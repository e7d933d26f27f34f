// Several checkpoints side by side: of each property that two of them have, what is proved, what is
// attained and how far these are apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/checkpoint_reading.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// A checkpoint whose bounds may be shown.
struct Compared {
  std::string name;  // text: of its certificate's file
  std::string card;  // the id of its card
  Checkpoint head;
};

// "" where no property is of two checkpoints.
std::string sweep_table(const std::vector<Compared>& checkpoints, const Options& options);

}  // namespace sinkproof::report
