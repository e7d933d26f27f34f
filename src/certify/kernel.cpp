#include "certify/kernel.hpp"

#include <cmath>

namespace sinkproof::certify {

using certificate::Kernel;
using certificate::kind_of;
using exact::Interval;
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

// Far below 0 the number would have as many digits as the logit says.
Interval exp_enclosure(const exact::Rational& x, unsigned precision) {
  const exact::Rational least = -exact::kMaxExpArgument;
  const Interval at = exp(Interval(exact::max(x, least), precision));
  return x < least ? Interval(0, at.upper(), precision) : at;
}

}  // namespace

Interval logistic_enclosure(const exact::Rational& x, unsigned precision) {
  const Interval one(1, precision);
  return one / (one + exp_enclosure(-x, precision));
}

Interval kernel_enclosure(Attention attention, const exact::Rational& logit, unsigned precision) {
  switch (kind_of(attention).kernel) {
    case Kernel::kExp:
      return exp_enclosure(logit, precision);
    case Kernel::kSigmoid:
      return logistic_enclosure(logit, precision);
    case Kernel::kElu1:
      if (logit >= 0) return Interval(logit + 1, precision);
      return exp_enclosure(logit, precision);
    case Kernel::kRelu:
      return Interval(exact::max(0, logit), precision);
    case Kernel::kLinear:
      return Interval(logit, precision);
  }
  return Interval(logit, precision);
}

}  // namespace sinkproof::certify
