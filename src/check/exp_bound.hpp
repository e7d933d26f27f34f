// exp_down and exp_up of CHECKPOINT_RULES.md section 4.3.
#pragma once

#include "exact/rational.hpp"

namespace sinkproof::check {

exact::Rational exp_down(const exact::Rational& x);
// Throws Rejected for x > 4096.
exact::Rational exp_up(const exact::Rational& x);

}  // namespace sinkproof::check
