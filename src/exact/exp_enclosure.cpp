#include "exact/exp_enclosure.hpp"

#include <gmp.h>

namespace sinkproof::exact {
namespace {

mpz_ptr raw(Integer& n) { return n.backend().data(); }
mpz_srcptr raw(const Integer& n) { return n.backend().data(); }

void shift_right(Integer& n, unsigned bits, Rounding rounding) {
  (rounding == Rounding::kDown ? mpz_fdiv_q_2exp : mpz_cdiv_q_2exp)(raw(n), raw(n), bits);
}

void divide(Integer& n, const Integer& divisor, Rounding rounding) {
  (rounding == Rounding::kDown ? mpz_fdiv_q : mpz_cdiv_q)(raw(n), raw(n), raw(divisor));
}

// Sum of r^i / i!, 0 <= r <= 1/2, in units of 2^-shift; every term is rounded (two divisions round
// as the one by their product would). Rounded up, once a term is at most one unit, all later terms
// together are at most one unit (each is at most half of the one before), so one more covers them.
Integer series(const Integer& r, unsigned shift, Rounding rounding) {
  const bool down = rounding == Rounding::kDown;
  Integer term = Integer(1) << shift;
  Integer sum = term;
  for (unsigned i = 1; term > (down ? 0 : 1); ++i) {
    term *= r;
    shift_right(term, shift, rounding);
    (down ? mpz_fdiv_q_ui : mpz_cdiv_q_ui)(raw(term), raw(term), i);
    sum += term;
  }
  return down ? sum : Integer(sum + 1);
}

}  // namespace

ScaledExp scaled_exp(const Integer& numerator, const Integer& denominator, unsigned bits,
                     Rounding rounding) {
  unsigned halvings = 0;
  const Integer twice = 2 * numerator;
  for (Integer most = denominator; twice > most; most <<= 1) ++halvings;
  ScaledExp result{numerator, bits + halvings + 16};
  Integer reduced = numerator << (result.shift - halvings);
  divide(reduced, denominator, rounding);
  result.value = series(reduced, result.shift, rounding);
  for (unsigned i = 0; i < halvings; ++i) {
    result.value *= result.value;
    shift_right(result.value, result.shift, rounding);
  }
  return result;
}

unsigned reciprocal_bits(const Rational& y, unsigned bits) {
  return bits + 32 + ceil(3 * y / 2).convert_to<unsigned>();
}

Result<Enclosure> exp_enclosure(const Rational& x, unsigned bits) {
  const Rational magnitude = abs(x);
  if (magnitude > kMaxExpArgument) {
    return fail("SP0102", "exp", "argument beyond +-" + std::to_string(kMaxExpArgument));
  }
  const Integer n = numerator(magnitude);
  const Integer d = denominator(magnitude);
  const ScaledExp down = scaled_exp(n, d, bits, Rounding::kDown);
  const ScaledExp up = scaled_exp(n, d, bits, Rounding::kUp);
  const Integer one = Integer(1) << down.shift;
  if (x >= 0) return Enclosure{make_rational(down.value, one), make_rational(up.value, one)};
  // Over a power of two, so that sums of many keep a small denominator; fine enough for the
  // smallest of them, since exp(-y) > 2^(-3 y / 2).
  const Integer grid = Integer(1) << reciprocal_bits(magnitude, bits);
  Integer lower = grid * one;
  Integer upper = lower;
  divide(lower, up.value, Rounding::kDown);
  divide(upper, down.value, Rounding::kUp);
  return Enclosure{make_rational(lower, grid), make_rational(upper, grid)};
}

}  // namespace sinkproof::exact
