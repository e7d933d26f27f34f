#include "check/kernel.hpp"

#include "check/exp_bound.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {

using exact::Rational;

Attention attention_named(const std::string& name) {
  //                            name, kernel, normalised, null_slot, gated, relative, is_signed
  if (name == "softmax") return {name, Kernel::kExp, true, false, false, true, false};
  if (name == "softmax-gated") return {name, Kernel::kExp, true, false, true, true, false};
  if (name == "softmax-null") return {name, Kernel::kExp, true, true, false, true, false};
  if (name == "sigmoid-normalised") {
    return {name, Kernel::kSigmoid, true, false, false, false, false};
  }
  if (name == "elu1-normalised") return {name, Kernel::kElu1, true, false, false, false, false};
  if (name == "relu") return {name, Kernel::kRelu, false, false, false, false, false};
  if (name == "sigmoid") return {name, Kernel::kSigmoid, false, false, false, false, false};
  if (name == "elu1") return {name, Kernel::kElu1, false, false, false, false, false};
  if (name == "linear") return {name, Kernel::kLinear, false, false, false, false, true};
  throw Rejected{{"SP0901", "model.attention", "no attention of that name"}};
}

Rational kernel_down(Kernel kernel, const Rational& x) {
  switch (kernel) {
    case Kernel::kExp:
      return exp_down(x);
    case Kernel::kSigmoid:
      return sigmoid_down(x);
    case Kernel::kElu1:
      return x >= 0 ? Rational(x + 1) : exp_down(x);
    case Kernel::kRelu:
      return exact::max(0, x);
    case Kernel::kLinear:
      return x;
  }
  throw Rejected{{"SP0999", "kernel", "unknown"}, 5};
}

Rational kernel_up(Kernel kernel, const Rational& x) {
  switch (kernel) {
    case Kernel::kExp:
      return exp_up(x);
    case Kernel::kSigmoid:
      return sigmoid_up(x);
    case Kernel::kElu1:
      return x >= 0 ? Rational(x + 1) : exp_up(x);
    case Kernel::kRelu:
      return exact::max(0, x);
    case Kernel::kLinear:
      return x;
  }
  throw Rejected{{"SP0999", "kernel", "unknown"}, 5};
}

}  // namespace sinkproof::check
