#include "check/kernel.hpp"

#include "check/exp_bound.hpp"

namespace sinkproof::check {
namespace {

using certificate::Kernel;
using exact::Rational;

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

Rational kernel_down(Kernel kernel, const Rational& x) {
  return kernel_at(kernel, x, exp_down, sigmoid_down);
}

Rational kernel_up(Kernel kernel, const Rational& x) {
  return kernel_at(kernel, x, exp_up, sigmoid_up);
}

}  // namespace sinkproof::check
