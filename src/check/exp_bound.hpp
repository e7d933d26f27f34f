// exp_down and exp_up of CHECKPOINT_RULES.md, 4.4, and the logistic function.
#pragma once

#include "exact/rational.hpp"

namespace sinkproof::check {

exact::Rational exp_down(const exact::Rational& x);
// Throws Rejected for x > 4096.
exact::Rational exp_up(const exact::Rational& x);

// 1/(1 + exp(-x)), rounded down and up as CHECKPOINT_RULES.md, 4.4, says. Throws Rejected for the
// lower one at x < -4096.
exact::Rational sigmoid_down(const exact::Rational& x);
exact::Rational sigmoid_up(const exact::Rational& x);

}  // namespace sinkproof::check
