#include "certify/kernel.hpp"

#include <cmath>

namespace sinkproof::certify {

using certificate::Kernel;
using certificate::kind_of;
using model::Attention;

double logistic(double x) {
  // Either form alone overflows on one side.
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

KernelValue kernel(Attention attention, double logit, double shift) {
  switch (kind_of(attention).kernel) {
    case Kernel::kExp: {
      const double value = std::exp(logit - shift);
      return {value, value};
    }
    case Kernel::kSigmoid: {
      const double value = logistic(logit);
      return {value, value * (1 - value)};
    }
    case Kernel::kElu1:
      if (logit >= 0) return {logit + 1, 1};
      return {std::exp(logit), std::exp(logit)};
    case Kernel::kRelu:
      return logit > 0 ? KernelValue{logit, 1} : KernelValue{0, 0};
    case Kernel::kLinear:
      return {logit, 1};
  }
  return {};
}

}  // namespace sinkproof::certify
