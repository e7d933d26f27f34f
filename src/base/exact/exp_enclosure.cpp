#include "exact/exp_enclosure.hpp"

#include <utility>

#include "exact/whole.hpp"

namespace sinkproof::exact {
namespace {

// Sum of r^i / i!, 0 <= r <= 1/2, in units of 2^-shift; every term is rounded (two divisions round
// as the one by their product would). Rounded up, once a term is at most one unit, all later terms
// together are at most one unit (each is at most half of the one before), so one more covers them.
Integer series(const Integer& r, unsigned shift, Rounding rounding) {
  const bool down = rounding == Rounding::kDown;
  Integer term = Integer(1) << shift;
  Integer sum = term;
  for (unsigned i = 1; term > (down ? 0 : 1); ++i) {
    term *= r;
    term = shift_right(std::move(term), shift, rounding);
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
  const Integer reduced = divide(numerator << (result.shift - halvings), denominator, rounding);
  result.value = series(reduced, result.shift, rounding);
  for (unsigned i = 0; i < halvings; ++i) {
    result.value = shift_right(result.value * result.value, result.shift, rounding);
  }
  return result;
}

unsigned reciprocal_bits(const Rational& y, unsigned bits) {
  return bits + 32 + ceil(3 * y / 2).convert_to<unsigned>();
}

Result<Enclosure> exp_enclosure(const Rational& x, unsigned bits) {
  const Rational magnitude = abs(x);
  if (magnitude > kMaxExpArgument) {
    return fail("SP0102", "exp", "argument is beyond +-" + std::to_string(kMaxExpArgument));
  }
  const Integer n = numerator(magnitude);
  const Integer d = denominator(magnitude);
  const ScaledExp down = scaled_exp(n, d, bits, Rounding::kDown);
  const ScaledExp up = scaled_exp(n, d, bits, Rounding::kUp);
  const Integer one = unit(down.shift);
  if (x >= 0) return Enclosure{make_rational(down.value, one), make_rational(up.value, one)};
  // Over a power of two, so that sums of many keep a small denominator; fine enough for the
  // smallest of them, since exp(-y) > 2^(-3 y / 2).
  const Integer grid = unit(reciprocal_bits(magnitude, bits));
  return Enclosure{make_rational(floor_div(grid * one, up.value), grid),
                   make_rational(ceil_div(grid * one, down.value), grid)};
}

}  // namespace sinkproof::exact
