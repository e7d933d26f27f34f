// The forward pass over ALL inputs of the trigger task's box at once, for stacks: a row is a
// polynomial in its own noise and in the means and covariances of its keys'. MOMENT_RULES.md and
// MOMENT_KERNELS.md.
#pragma once

#include <optional>

#include "forward/box_pass.hpp"

namespace sinkproof::forward {

// As box_bounds, but without rollouts. Precondition: the model's kind has_moments, 2 <= degrees <=
// kMostSeriesDegree.
std::optional<BoxBounds> moment_bounds(const Model& model, const BoxRequest& request,
                                       const ForEach& each = in_turn);

}  // namespace sinkproof::forward
