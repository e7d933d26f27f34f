// Ranges between two whole numbers, in units of 2^-p: every result holds the exact one for all
// numbers of its arguments.
#pragma once

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::forward {

struct Range {
  exact::Integer lower;
  exact::Integer upper;
};

Range operator-(const Range& x);
Range operator+(const Range& a, const Range& b);
Range operator-(const Range& a, const Range& b);
Range times(const Range& a, const Range& b, unsigned p);
// Precondition: b > 0.
Range over(const Range& a, const Range& b, unsigned p);
Range divided(const Range& x, const exact::Integer& by);
// part / (part + rest), both >= 0; 0 where nothing is there.
Range share(const Range& part, const Range& rest, unsigned p);
Range absolute(const Range& x);
// The numbers of [least, most] closest to those of x.
Range clamped(const Range& x, const exact::Integer& least, const exact::Integer& most);
// The least range that holds both.
Range hull(const Range& a, const Range& b);

// From `bits` more places.
Range coarser(const Range& x, unsigned bits);
Range range_of(const exact::Rational& x, unsigned p);
exact::Enclosure enclosure(const Range& range, unsigned p);
// Of x in units of 2^-p, in the same. Precondition: x >= 0.
Range root_of(const Range& x, unsigned p);

}  // namespace sinkproof::forward
