// The exact value of an MPFR number, for the endpoints of intervals.
#pragma once

#include <mpfr.h>

#include "exact/rational.hpp"

namespace sinkproof::exact {

// Precondition: value is finite.
inline Rational rational_from_mpfr(const __mpfr_struct* value) {
  if (mpfr_zero_p(value) != 0) return 0;  // its exponent is meaningless and huge
  Integer significand;
  const long exponent = mpfr_get_z_2exp(significand.backend().data(), value);
  return Rational(significand) * power_of_two(exponent);
}

}  // namespace sinkproof::exact
