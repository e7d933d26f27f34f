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

namespace {

// exp below -4096 goes down to 0, as the checker's does.
exact::Enclosure exp_enclosure(const exact::Rational& x, unsigned bits) {
  const exact::Rational least = -exact::kMaxExpArgument;
  exact::Enclosure at = *exact::exp_enclosure(exact::max(x, least), bits);
  if (x < least) at.lower = 0;
  return at;
}

}  // namespace

exact::Enclosure logistic_enclosure(const exact::Rational& x, unsigned bits) {
  const exact::Enclosure exp = exp_enclosure(-x, bits);
  return {1 / (1 + exp.upper), 1 / (1 + exp.lower)};
}

exact::Enclosure kernel_enclosure(Attention attention, const exact::Rational& logit,
                                  unsigned bits) {
  switch (kind_of(attention).kernel) {
    case Kernel::kExp:
      return exp_enclosure(logit, bits);
    case Kernel::kSigmoid:
      return logistic_enclosure(logit, bits);
    case Kernel::kElu1:
      if (logit >= 0) return {logit + 1, logit + 1};
      return exp_enclosure(logit, bits);
    case Kernel::kRelu:
      return {exact::max(0, logit), exact::max(0, logit)};
    case Kernel::kLinear:
      break;
  }
  return {logit, logit};
}

}  // namespace sinkproof::certify
