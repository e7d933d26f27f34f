// The trigger's own row of one head with normalised weights: how far its output is from the mean of
// the keys 2..j.
//
// Multiplied by the sum of the kernels the claim reads: sum over keys of kernel * Q <= 0, where Q
// is the key's value less the mean tau and the bound. In the coordinate at hand content keys may be
// taken at +1 and -1, so at a given number of each the keys fall into a few classes. Classes of
// positive Q are bounded by exp(affine), those of negative Q from below, and their sum by Jensen's
// inequality is one exp(affine), too: what is left is a sum of exp(sign form) <= 1.
// CHECKPOINT_RULES.md, 4.14, has the formulas.
#pragma once

#include <optional>
#include <vector>

#include "certify/layer.hpp"
#include "certify/proof.hpp"
#include "certify/ranges.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at trigger rows, at or above `attained` (an estimate);
// nothing, if none below `most` is found. `ranges`: of a kind that is not relative; else null.
// Precondition: one head, a normalised kind.
std::optional<Proof> bound_trigger_loss(const Layer& layer, const LayerRanges* ranges,
                                        double attained, const std::optional<exact::Rational>& most,
                                        const Effort& effort);

}  // namespace sinkproof::certify
