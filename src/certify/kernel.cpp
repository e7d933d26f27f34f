#include "certify/kernel.hpp"

#include <cmath>

namespace sinkproof::certify {

using exact::Interval;
using model::Attention;

double logistic(double x) {
  // Either form alone overflows on one side.
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

KernelValue kernel(Attention attention, double logit, double shift) {
  switch (attention) {
    case Attention::kSoftmax:
    case Attention::kSoftmaxNull:
    case Attention::kSoftmaxGated: {
      const double value = std::exp(logit - shift);
      return {value, value};
    }
    case Attention::kSigmoid:
    case Attention::kSigmoidNormalised: {
      const double value = logistic(logit);
      return {value, value * (1 - value)};
    }
    case Attention::kElu1:
    case Attention::kElu1Normalised:
      if (logit >= 0) return {logit + 1, 1};
      return {std::exp(logit), std::exp(logit)};
    case Attention::kRelu:
      return logit > 0 ? KernelValue{logit, 1} : KernelValue{0, 0};
    case Attention::kLinear:
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
  switch (attention) {
    case Attention::kSoftmax:
    case Attention::kSoftmaxNull:
    case Attention::kSoftmaxGated:
      return exp_enclosure(logit, precision);
    case Attention::kSigmoid:
    case Attention::kSigmoidNormalised:
      return logistic_enclosure(logit, precision);
    case Attention::kElu1:
    case Attention::kElu1Normalised:
      if (logit >= 0) return Interval(logit + 1, precision);
      return exp_enclosure(logit, precision);
    case Attention::kRelu:
      return Interval(exact::max(0, logit), precision);
    case Attention::kLinear:
      return Interval(logit, precision);
  }
  return Interval(logit, precision);
}

}  // namespace sinkproof::certify
