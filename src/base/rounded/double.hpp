// Rationals from doubles and the doubles near them: for searches, charts and files; never on the
// way to a bound.
#pragma once

#include "exact/rational.hpp"

namespace sinkproof::rounded {

// The exact value of a finite double. Precondition: std::isfinite(value).
exact::Rational from_double(double value);

// The nearest double, for estimates only.
double to_double_estimate(const exact::Rational& value);

}  // namespace sinkproof::rounded
