// The bound that holds for any normalised row, whatever its logits: a head's output is a convex
// combination of the values of its keys (CHECKPOINT_RULES.md, 4.8). The fallback where the sharper
// rules do not close.
#pragma once

#include "certify/layer.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

// Precondition: weights are kernels over their sum.
Proof bound_value_range(const Layer& layer, RowClass rows);

}  // namespace sinkproof::certify
