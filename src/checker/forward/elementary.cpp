#include "forward/elementary.hpp"

#include <algorithm>
#include <utility>

#include "exact/exp_enclosure.hpp"
#include "exact/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using exact::Rational;

unsigned bits_of(const Integer& n) { return static_cast<unsigned>(mpz_sizeinbase(raw(n), 2)); }

// Sum of z^(2k+1)/(2k+1) with signs 1, sign, 1, ..: atanh or atan of z = n/d, 0 <= z <= 1/3.
Range odd_series(const Integer& n, const Integer& d, int sign, unsigned p) {
  const Integer square = n * n;
  const Integer divisor = d * d;
  Integer power = floor_div(n << p, d);  // short by less than 2: each step drops less than one
  Integer sum = power;
  unsigned terms = 1;
  for (unsigned k = 1; power != 0; ++k, ++terms) {
    power = floor_div(power * square, divisor);
    sum += (k % 2 == 0 ? 1 : sign) * floor_div(power, 2 * k + 1);
  }
  // A term is short by less than 2; what is left out is below the last one, and so below 2.
  const Integer error = 2 * terms + 2;
  return {sum - error, sum + error};
}

Rounding outward(bool up) { return up ? Rounding::kUp : Rounding::kDown; }

// E-(x) and (up) E+(x) for x <= 0. The page's rounding to a finer grid before that to 2^-p changes
// nothing.
Integer exp_end(const Integer& x, bool up, unsigned p) {
  if (x == 0) return unit(p);
  if (x < -(Integer(p) << p)) return up ? 1 : 0;
  const exact::ScaledExp reciprocal = exact::scaled_exp(-x, unit(p), p, outward(!up));
  return divide(unit(p + reciprocal.shift), reciprocal.value, outward(up));
}

// S-(x) and (up) S+(x): 1/(1 + exp(-x)) for x >= 0, else exp(x)/(1 + exp(x)).
Integer logistic_end(const Integer& x, bool up, unsigned p) {
  const Integer one = unit(p);
  const Integer e = exp_end(-magnitude(x), x < 0 ? up : !up, p);
  return divide(one * (x < 0 ? e : one), one + e, outward(up));
}

}  // namespace

Range pi(unsigned p) {
  const unsigned guard = 16;  // sixteen atan(1/5) - 4 atan(1/239), by Machin
  const Range fifth = odd_series(1, 5, -1, p + guard);
  const Range small = odd_series(1, 239, -1, p + guard);
  return coarser(times({16, 16}, fifth, 0) - times({4, 4}, small, 0), guard);
}

Range logarithm(const Rational& x, unsigned p) {
  const unsigned guard = 32;
  const Integer numerator = boost::multiprecision::numerator(x);
  const Integer denominator = boost::multiprecision::denominator(x);
  // x = 2^a m with m between 1/2 and 2.
  const int a = static_cast<int>(bits_of(numerator)) - static_cast<int>(bits_of(denominator));
  const Integer top = a < 0 ? Integer(numerator << static_cast<unsigned>(-a)) : numerator;
  const Integer bottom = a > 0 ? Integer(denominator << static_cast<unsigned>(a)) : denominator;
  const Integer difference = magnitude(top - bottom);
  Range part = odd_series(difference, top + bottom, 1, p + guard);
  if (top < bottom) part = -part;
  const Range third = odd_series(1, 3, 1, p + guard);  // (ln 2)/2
  const Range twos = times({a, a}, third, 0);
  return coarser(part + part + twos + twos, guard);
}

CosineSine cosine_sine(const Range& angle, unsigned p) {
  const Integer middle = floor_shift(angle.lower + angle.upper, 1);
  const Integer spread = std::max(Integer(angle.upper - middle), Integer(middle - angle.lower));
  // Halved below 2^-8, summed, doubled again: an error of a unit becomes at most 4 and 4 more.
  const unsigned size = bits_of(middle);
  const unsigned halvings = size > p ? size - p + 8 : 8;
  const unsigned q = p + 2 * halvings + 16;
  const Integer small = floor_shift(middle << (q - p), halvings);
  Integer cosine = unit(q);
  Integer sine = small;
  Integer power = small;
  for (unsigned k = 2; power > 0 || power < -1; ++k) {
    power = floor_div(floor_shift(power * small, q), k);
    const bool minus = k % 4 == 2 || k % 4 == 3;
    Integer& sum = k % 2 == 0 ? cosine : sine;
    sum += minus ? Integer(-power) : power;
  }
  for (unsigned i = 0; i < halvings; ++i) {
    sine = floor_shift(2 * sine * cosine, q);
    cosine = floor_shift(2 * cosine * cosine, q) - unit(q);
  }
  // Fewer than 2^8 terms, each within 2 units: 4^halvings 2^10 units of 2^-q are below one of 2^-p.
  const unsigned bits = q - p;
  const auto widened = [&](const Integer& value) {
    return coarser({value - unit(bits), value + unit(bits)}, bits) + Range{-spread - 1, spread + 1};
  };
  return {widened(cosine), widened(sine)};
}

Range exponential(const Range& x, unsigned p) {
  return {exp_end(x.lower, false, p), exp_end(x.upper, true, p)};
}

Range logistic(const Range& x, unsigned p) {
  return {logistic_end(x.lower, false, p), logistic_end(x.upper, true, p)};
}

Range logistic_around(const Range& x, unsigned p) {
  const Integer middle = floor_shift(x.lower + x.upper, 1);
  const Integer spread = ceil_shift(x.upper - middle, 2);  // no slope exceeds 1/4
  const Integer y = magnitude(middle);
  Range around{unit(p) - 1, unit(p)};  // where exp(-y) is below a unit
  if (y < Integer(p) << p) {
    // exp(-y) of y halved below 2^-12, squared again.
    const unsigned size = bits_of(y);
    const unsigned halvings = size > p ? size - p + 12 : 12;
    const unsigned q = p + halvings + 16;
    const Integer small = y << 16;  // y 2^(q - p - halvings)
    Integer product;
    Integer term = unit(q);
    Integer fall = term;
    for (unsigned k = 1; term != 0; ++k) {
      mpz_mul(raw(product), raw(term), raw(small));
      mpz_fdiv_q_2exp(raw(product), raw(product), q);
      mpz_fdiv_q_ui(raw(term), raw(product), k);
      (k % 2 == 0 ? mpz_add : mpz_sub)(raw(fall), raw(fall), raw(term));
    }
    for (unsigned i = 0; i < halvings; ++i) {
      mpz_mul(raw(product), raw(fall), raw(fall));
      mpz_fdiv_q_2exp(raw(fall), raw(product), q);
    }
    // Fewer than 2^8 terms, each within 2 units, and the rest within 4; a square doubles the error
    // and adds 2 at most. The quotient's slope is at most 1.
    const Integer error = unit(halvings + 12);
    const Integer quotient = floor_div(unit(2 * q), unit(q) + fall);
    around = coarser({quotient - error, quotient + error}, q - p);
  }
  if (middle < 0) around = Range{unit(p), unit(p)} - around;
  return around + Range{-spread, spread};
}

Range normal_at(const Integer& x, const Range& density, unsigned p) {
  const Integer one = unit(p);
  if (x < 0) {
    return Range{one, one} - normal_at(-x, density, p);
  }
  const Integer square = x * x;  // units of 2^-2p
  // exp(-x^2/2) < 2^-(p+2): what is missing to 1 is below a unit.
  if (square * 10'000 >= (Integer(p + 2) << (2 * p)) * 13'864) return {one - 1, one};
  // 1/2 + density exp(-x^2/2) (x + x^3/3 + x^5/(3 5) + ..); the sum is below 2 exp(x^2/2), which
  // is 2^(1 + .7214 x^2).
  const unsigned growth = floor_div(square * 13, Integer(18) << (2 * p)).convert_to<unsigned>() + 3;
  const unsigned q = p + growth + 16;
  Range term{x << (q - p), x << (q - p)};
  Range sum = term;
  for (unsigned k = 3;; k += 2) {
    const Integer divisor = Integer(k) << (2 * p);
    term = divided({term.lower * square, term.upper * square}, divisor);
    sum = sum + term;
    // From here each term is at most half of the one before: all together at most one unit.
    if (term.upper <= 1 && 2 * square <= (Integer(k + 2) << (2 * p))) break;
  }
  sum.upper += 1;
  const Range exponent = coarser({square << 64, square << 64}, 2 * p + 65 - q);  // x^2/2
  const Range falls = exponential(-exponent, q);
  const Range scaled = coarser(density, 2 * p + 64 - q);
  const Range half = times(times(scaled, falls, q), sum, q);
  return coarser({half.lower + unit(q - 1), half.upper + unit(q - 1)}, q - p);
}

}  // namespace sinkproof::forward
