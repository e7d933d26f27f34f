// ReLU attention, the trigger's own row. With m = j - 1 keys beside BOS,
//   m * s * (out_r - target_r) = sum over content keys of phi(w_k; u) + psi(u):
// the tokens separate, for a fixed noise u of the trigger. Where scores are certainly positive,
// phi = score * s v_r(w) - s x_r(w) is a product of two affine functions of w; the main part of v_r
// (its constant and its own coordinate) multiplies the exact score, the rest a constant near it,
// and the difference is bounded apart. phi and psi are then sign forms in u, and the bound is
// affine in 1/m.
#pragma once

#include <optional>

#include "certify/head.hpp"
#include "certify/proof.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at trigger rows, at or above `attained` (an estimate).
// Nothing where scores are not certainly positive.
std::optional<Proof> bound_relu_trigger_loss(const Head& head, double attained,
                                             const Effort& effort);

}  // namespace sinkproof::certify
