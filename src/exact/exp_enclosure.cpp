#include "exact/exp_enclosure.hpp"

namespace sinkproof::exact {
namespace {

// Of numbers >= 0, where GMP's division rounds down.
Integer floor_div(const Integer& numerator, const Integer& denominator) {
  return numerator / denominator;
}

Integer ceil_div(const Integer& numerator, const Integer& denominator) {
  return (numerator + denominator - 1) / denominator;
}

// Sum of r^i / i! in units of 1/one, every term rounded down: a lower bound for r >= 0.
Integer series_down(const Integer& r, const Integer& one) {
  Integer term = one;
  Integer sum = one;
  for (unsigned i = 1; term != 0; ++i) {
    term = floor_div(term * r, one * i);
    sum += term;
  }
  return sum;
}

// The same rounded up, for 0 <= r <= 1/2. Once a term is at most one unit, all later terms together
// are at most one unit (each is at most half of the one before), so one more unit covers them.
Integer series_up(const Integer& r, const Integer& one) {
  Integer term = one;
  Integer sum = one;
  for (unsigned i = 1; term > 1; ++i) {
    term = ceil_div(term * r, one * i);
    sum += term;
  }
  return sum + 1;
}

}  // namespace

unsigned reciprocal_bits(const Rational& y, unsigned bits) {
  return bits + 32 + ceil(3 * y / 2).convert_to<unsigned>();
}

Result<Enclosure> exp_enclosure(const Rational& x, unsigned bits) {
  const Rational magnitude = abs(x);
  if (magnitude > kMaxExpArgument) {
    return fail("SP0102", "exp", "argument beyond +-" + std::to_string(kMaxExpArgument));
  }
  unsigned halvings = 0;
  Rational reduced = magnitude;
  while (reduced > make_rational(1, 2)) {
    reduced /= 2;
    ++halvings;
  }
  const Integer one = Integer(1) << (bits + halvings + 16);
  const Rational scaled = reduced * Rational(one);
  Integer down = series_down(floor(scaled), one);
  Integer up = series_up(ceil(scaled), one);
  for (unsigned i = 0; i < halvings; ++i) {
    down = floor_div(down * down, one);
    up = ceil_div(up * up, one);
  }
  if (x < 0) {
    // Over a power of two, so that sums of many keep a small denominator; fine enough for the
    // smallest of them, since exp(-y) > 2^(-3 y / 2).
    const Integer grid = Integer(1) << reciprocal_bits(magnitude, bits);
    return Enclosure{make_rational(floor_div(grid * one, up), grid),
                     make_rational(ceil_div(grid * one, down), grid)};
  }
  return Enclosure{make_rational(down, one), make_rational(up, one)};
}

}  // namespace sinkproof::exact
