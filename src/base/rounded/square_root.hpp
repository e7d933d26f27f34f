// The square root of a rational between two rationals, in integer arithmetic: distances and norms
// whose squares are what a certificate states.
#pragma once

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::rounded {

// lower <= sqrt(value) <= upper with upper - lower <= 2^-60 lower; equal where the root is
// rational. Precondition: value >= 0.
exact::Enclosure square_root(const exact::Rational& value);

// Of every number of the enclosure, which is >= 0.
exact::Enclosure square_root(const exact::Enclosure& square);

}  // namespace sinkproof::rounded
