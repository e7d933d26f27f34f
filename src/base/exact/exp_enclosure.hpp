// exp of a rational between two rationals, in integer arithmetic only. This is the one
// transcendental function the trusted checker needs; src/checker/certificate/FORMAT.md states the
// same algorithm as formulas so that an independent checker gets the same two numbers. MPFR is a
// second, independent way to the same number; the tests hold the two against each other.
#pragma once

#include "exact/error.hpp"
#include "exact/whole.hpp"

namespace sinkproof::exact {

struct Enclosure {
  Rational lower;
  Rational upper;
};

inline constexpr int kMaxExpArgument = 4096;

// exp(numerator / denominator) in units of 2^-shift, from below or from above, with a relative
// error of about 2^-bits; `shift` is the same of both. Precondition: 0 <= numerator, 0 <
// denominator.
struct ScaledExp {
  Integer value;
  unsigned shift = 0;
};
ScaledExp scaled_exp(const Integer& numerator, const Integer& denominator, unsigned bits,
                     Rounding rounding);

// Multiples of 2^-reciprocal_bits(y, bits) enclose exp(-y) to some `bits` + 32 bits.
// Precondition: 0 <= y <= kMaxExpArgument.
unsigned reciprocal_bits(const Rational& y, unsigned bits);

// lower <= exp(x) <= upper with upper/lower - 1 about 2^-bits; for x < 0 multiples of
// 2^-reciprocal_bits(-x, bits).
// SP0102: |x| > kMaxExpArgument. Precondition: 1 <= bits <= 4096.
Result<Enclosure> exp_enclosure(const Rational& x, unsigned bits);

}  // namespace sinkproof::exact
