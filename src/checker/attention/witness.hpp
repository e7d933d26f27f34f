// What an exact input attains. CHECKPOINT_RULES.md, 4.6 and 4.7.
#pragma once

#include <string>

#include "certificate/checkpoint.hpp"
#include "forward/pass.hpp"

namespace sinkproof::check {

// The target of row `row` (from 1) of a task sequence at one coordinate.
exact::Rational target(const exact::RationalMatrix& tokens, std::size_t trigger, std::size_t row,
                       std::size_t coordinate, bool residual);

// max_r |out_r - target_r| of that row, `out` being the last layer's rows at p.
exact::Enclosure loss(const forward::Balls& out, const exact::RationalMatrix& tokens,
                      std::size_t trigger, std::size_t row, bool residual, unsigned p);

// The witness shows the side of the bound that is not proved: its loss is at least `lower`, some
// head's attention at most the floor's `upper` or at least the ceiling's `lower`. Throws Rejected.
void require_attained(const forward::Prepared& model, const certificate::Bound& bound,
                      const std::string& name);

}  // namespace sinkproof::check
