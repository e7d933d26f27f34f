// Real roots of a polynomial in one variable, by Sturm's theorem: how many there are, and rational
// intervals that hold one each.
#pragma once

#include <vector>

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// Coefficients by degree, the constant first; trailing zeros are allowed.
using Univariate = std::vector<exact::Rational>;

Univariate sum(const Univariate& a, const Univariate& b);
Univariate product(const Univariate& a, const Univariate& b);
exact::Rational value_at(const Univariate& p, const exact::Rational& x);

// The distinct roots in (lower, upper], ascending: each between two numbers at most `width` apart,
// equal when the root is rational and was hit. Preconditions: p is not zero, lower <= upper,
// width > 0.
std::vector<exact::Enclosure> real_roots(const Univariate& p, const exact::Rational& lower,
                                         const exact::Rational& upper,
                                         const exact::Rational& width);

}  // namespace sinkproof::measure
