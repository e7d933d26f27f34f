// The forward pass over ALL inputs of the trigger task's box at once, for stacks of softmax
// attention: a row is a polynomial in its own noise and in the means and covariances of its keys'.
// MOMENT_RULES.md.
#pragma once

#include <optional>

#include "forward/box_pass.hpp"

namespace sinkproof::forward {

// Whether rule `moments` is about such models: softmax. The pass follows kinds that are not
// normalised as well; no certificate may name it for them yet.
bool has_moments(const Model& model);

// As box_bounds, but without rollouts. Precondition: has_moments(model) or a kind
// that is not normalised, 2 <= degrees <=
// kMostSeriesDegree.
std::optional<BoxBounds> moment_bounds(const Model& model, const BoxRequest& request,
                                       const ForEach& each = in_turn);

}  // namespace sinkproof::forward
