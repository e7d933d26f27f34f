#include "attention/kernel.hpp"

#include "certificate/rule.hpp"
#include "exact/exp_enclosure.hpp"

namespace sinkproof::check {
namespace {

constexpr unsigned kBits = 96;

using certificate::Kernel;
using exact::Integer;
using exact::Rational;

// The power of two whose parts a value of the logistic function, 1/(1 + exp(-x)), is rounded to.
Integer sigmoid_grid(const Rational& x) {
  const Rational below = exact::min(exact::max(0, -x), exact::kMaxExpArgument);
  return Integer(1) << exact::reciprocal_bits(below, kBits);
}

Rational sigmoid_down(const Rational& x) {
  const Integer grid = sigmoid_grid(x);
  return exact::make_rational(exact::floor(Rational(grid) / (1 + exp_up(-x))), grid);
}

Rational sigmoid_up(const Rational& x) {
  const Integer grid = sigmoid_grid(x);
  return exact::make_rational(exact::ceil(Rational(grid) / (1 + exp_down(-x))), grid);
}

// `exp` and `sigmoid` round down or up.
Rational kernel_at(Kernel kernel, const Rational& x, Rational (*exp)(const Rational&),
                   Rational (*sigmoid)(const Rational&)) {
  switch (kernel) {
    case Kernel::kExp:
      return exp(x);
    case Kernel::kSigmoid:
      return sigmoid(x);
    case Kernel::kElu1:
      return x >= 0 ? Rational(x + 1) : exp(x);
    case Kernel::kRelu:
      return exact::max(0, x);
    case Kernel::kLinear:
      break;
  }
  return x;
}

}  // namespace

Rational exp_down(const Rational& x) {
  if (x < -exact::kMaxExpArgument) return 0;
  return value_of(exact::exp_enclosure(exact::min(x, exact::kMaxExpArgument), kBits)).lower;
}

Rational exp_up(const Rational& x) {
  return value_of(exact::exp_enclosure(exact::max(x, -exact::kMaxExpArgument), kBits)).upper;
}

Rational kernel_down(Kernel kernel, const Rational& x) {
  return kernel_at(kernel, x, exp_down, sigmoid_down);
}

Rational kernel_up(Kernel kernel, const Rational& x) {
  return kernel_at(kernel, x, exp_up, sigmoid_up);
}

}  // namespace sinkproof::check
