// Softmax, the trigger's own row: how far its output is from the mean of the keys 2..j.
//
// With p the softmax weights without BOS, delta the logits relative to a content key of zero noise
// and x, v the keys' coordinates and values, sum_k p_k v_k - mean x = E_p[v - x] + (E_p[x] - mean
// x), and the last bracket is Cov(delta, x) under some p^xi, 0 <= xi <= 1 (weights proportional to
// exp(xi delta)): the mean value theorem. So the loss is a mean plus a covariance under ONE
// distribution over tokens, up to range(delta) range(v - x) / 4. For a distribution with weight A
// on +1, B on -1 (content keys, in coordinate r) and share pi of the trigger at s = +-1, both are
// sums of absolute values of affine functions of the trigger's noise u; A, B, pi run over curves
// that small polygons enclose. The BOS mass is bounded apart. CHECKPOINT_RULES.md, 4.14, has
// the formulas.
#pragma once

#include "certify/head.hpp"
#include "certify/proof.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at trigger rows, at or above `attained` (an estimate);
// `otherwise`, if none below its bound is found.
Proof bound_softmax_trigger_loss(const Head& head, double attained, const Effort& effort,
                                 Proof otherwise);

}  // namespace sinkproof::certify
