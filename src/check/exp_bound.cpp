#include "check/exp_bound.hpp"

#include "check/rejected.hpp"
#include "exact/exp_enclosure.hpp"

namespace sinkproof::check {
namespace {

constexpr unsigned kBits = 96;

using exact::Integer;
using exact::Rational;

// The power of two whose parts a value of the logistic function at x is rounded to.
Integer sigmoid_grid(const Rational& x) {
  const Rational below = exact::min(exact::max(0, -x), exact::kMaxExpArgument);
  return Integer(1) << exact::reciprocal_bits(below, kBits);
}

}  // namespace

Rational exp_down(const Rational& x) {
  if (x < -exact::kMaxExpArgument) return 0;
  return value_of(exact::exp_enclosure(exact::min(x, exact::kMaxExpArgument), kBits)).lower;
}

Rational exp_up(const Rational& x) {
  return value_of(exact::exp_enclosure(exact::max(x, -exact::kMaxExpArgument), kBits)).upper;
}

Rational sigmoid_down(const Rational& x) {
  const Integer grid = sigmoid_grid(x);
  return exact::make_rational(exact::floor(Rational(grid) / (1 + exp_up(-x))), grid);
}

Rational sigmoid_up(const Rational& x) {
  const Integer grid = sigmoid_grid(x);
  return exact::make_rational(exact::ceil(Rational(grid) / (1 + exp_down(-x))), grid);
}

}  // namespace sinkproof::check
