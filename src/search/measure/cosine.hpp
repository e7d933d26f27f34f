// The cosine of an angle between two rationals: average cosine similarities, and what claim sm-1
// expects of them.
#pragma once

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// dot / sqrt(square_a * square_b), within 2^-60 of the truth on either side.
// Precondition: both squares > 0, dot^2 <= their product.
exact::Enclosure cosine(const exact::Rational& dot, const exact::Rational& square_a,
                        const exact::Rational& square_b);

}  // namespace sinkproof::measure
