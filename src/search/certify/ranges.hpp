// Between which numbers the kernels of a row lie, by the flags of query and key, for all noise: the
// search's side of CHECKPOINT_RULES.md, 4.9. Logit ranges are maxima of sign forms
// (sign_form.hpp).
#pragma once

#include <string>

#include "certificate/checkpoint.hpp"
#include "certify/layer.hpp"
#include "certify/proof.hpp"

namespace sinkproof::certify {

struct LayerRanges {
  [[nodiscard]] certificate::Ranges stated() const { return {trees, layer.ranges}; }

  check::Layer layer;  // with its ranges
  certificate::Trees trees;
};

// Tells them apart from others of the same layer.
std::string digest(const Layer& layer, const LayerRanges& ranges);

// SP1403 where a logit is beyond what the checker's exp takes, in a rule or for a witness.
exact::Result<LayerRanges> find_ranges(const Layer& layer, const Effort& effort);

}  // namespace sinkproof::certify
