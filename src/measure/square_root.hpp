// Rational bounds of square roots and cosines.
#pragma once

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// The square root between two rationals, upper/lower - 1 below 2^-60; both 0 for 0.
// Precondition: value >= 0.
exact::Enclosure square_root(const exact::Rational& value);

// dot / sqrt(square_a * square_b), within 2^-60 of the truth on either side.
// Precondition: both squares > 0, dot^2 <= their product.
exact::Enclosure cosine(const exact::Rational& dot, const exact::Rational& square_a,
                        const exact::Rational& square_b);

}  // namespace sinkproof::measure
