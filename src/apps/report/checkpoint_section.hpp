// One card per checkpoint certificate: the model, its bounds as numbers and as pictures, the
// theorems that apply to it, and the attention of the witnesses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"
#include "report/names.hpp"

namespace sinkproof::report {

// The id of the card of the number-th checkpoint input, from 1.
std::string card_anchor(std::size_t number);

struct CheckpointSection {
  std::string side_by_side;  // what several checkpoints have in common; "" of fewer
  std::string cards;         // the section
};

// Both "" for no inputs. Precondition: certificates are objects of kind "checkpoint".
// SP1202: an accepted certificate is not of the form the checker accepts.
exact::Result<CheckpointSection> checkpoint_section(const std::vector<const Input*>& inputs,
                                                    const Names& names, const Options& options);

}  // namespace sinkproof::report
