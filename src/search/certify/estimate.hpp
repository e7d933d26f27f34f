// Exact numbers as floats for the search, and floats as exact numbers for its proofs. Weights can
// be as large as doubles get and their products larger, so neither way is free of checks.
#pragma once

#include <optional>

#include "exact/rational.hpp"

namespace sinkproof::certify {

// Beyond this the search's doubles stand for nothing; below it sums of many, products of three and
// their quotients by a kernel's sum stay finite.
inline constexpr double kLargestEstimate = 1e100;

// A maximum below this may be what underflow left of it.
inline constexpr double kLeastEstimate = 1e-290;

// The nearest double, cut off at +-kLargestEstimate: never infinite.
double estimate(const exact::Rational& value);

// The same in the range of long doubles, 10^+-4932, which holds exp(+-4096), the products of a
// file's weights and what the rules make of both: not cut off.
long double wide_estimate(const exact::Rational& value);

// The exact value of a double; nothing for an infinity or NaN.
std::optional<exact::Rational> exact_value(double value);

}  // namespace sinkproof::certify
