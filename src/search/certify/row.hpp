// One head with normalised weights: how far a row's output is from its target, the mean of keys
// 2..j at a trigger, else 0.
//
// Multiplied by the sum of the kernels the claim reads: sum over keys of kernel * Q <= 0, where Q
// is the key's value less target and bound. Keys fall into a few classes: in the row of a trigger
// they may be taken at +1 and -1 in the coordinate at hand, so many at each. Classes of positive Q
// are bounded by exp(affine), those of negative Q from below, and their sum by Jensen's inequality
// is one exp(affine), too: what is left is a sum of exp(sign form) <= 1. CHECKPOINT_RULES.md, 4.12,
// has the formulas.
#pragma once

#include <optional>

#include "certify/layer.hpp"
#include "certify/proof.hpp"
#include "certify/ranges.hpp"
#include "certify/row_class.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at these rows, at or above `attained` (an estimate) and below
// `most`; nothing if none is found. `ranges`: of a kind that is not relative; else null.
// Precondition: one head, a normalised kind; kPost with length >= 4.
std::optional<Proof> bound_row_loss(const Layer& layer, const LayerRanges* ranges, RowClass rows,
                                    double attained, const std::optional<exact::Rational>& most,
                                    const Effort& effort);

}  // namespace sinkproof::certify
