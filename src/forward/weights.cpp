#include "forward/weights.hpp"

#include <algorithm>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/exp_enclosure.hpp"

namespace sinkproof::forward {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;
using exact::Integer;
using exact::Rational;

Integer unit(unsigned p) { return Integer(1) << p; }

// For b > 0.
Integer floor_div(const Integer& a, const Integer& b) {
  Integer result;
  mpz_fdiv_q(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

Integer ceil_div(const Integer& a, const Integer& b) {
  Integer result;
  mpz_cdiv_q(result.backend().data(), a.backend().data(), b.backend().data());
  return result;
}

// (E-(x), E+(x)) for x <= 0.
Range exp_of(const Integer& x, unsigned p) {
  if (x == 0) return {unit(p), unit(p)};
  if (x < -(Integer(p) << p)) return {0, 1};
  const auto bounds =
      certificate::value_of(exact::exp_enclosure(exact::make_rational(x, unit(p)), p));
  return {exact::floor(bounds.lower * unit(p)), exact::ceil(bounds.upper * unit(p))};
}

Integer logistic_lower(const Integer& x, unsigned p) {
  const Integer one = unit(p);
  if (x >= 0) return floor_div(one * one, one + exp_of(-x, p).upper);
  const Integer e = exp_of(x, p).lower;
  return floor_div(one * e, one + e);
}

Integer logistic_upper(const Integer& x, unsigned p) {
  const Integer one = unit(p);
  if (x >= 0) return ceil_div(one * one, one + exp_of(-x, p).lower);
  const Integer e = exp_of(x, p).upper;
  return ceil_div(one * e, one + e);
}

Range elu1(const Range& x, unsigned p) {
  return {x.lower >= 0 ? Integer(x.lower + unit(p)) : exp_of(x.lower, p).lower,
          x.upper >= 0 ? Integer(x.upper + unit(p)) : exp_of(x.upper, p).upper};
}

// `top`: what exp's logits are taken from.
Range kernel_of(Kernel kernel, const Range& x, const Integer& top, unsigned p) {
  switch (kernel) {
    case Kernel::kExp:
      return {exp_of(x.lower - top, p).lower, exp_of(x.upper - top, p).upper};
    case Kernel::kSigmoid:
      return logistic(x, p);
    case Kernel::kElu1:
      return elu1(x, p);
    case Kernel::kRelu:
      return {std::max(Integer(0), x.lower), std::max(Integer(0), x.upper)};
    case Kernel::kLinear:
      break;
  }
  return x;
}

Integer top_of(const AttentionKind& kind, const std::vector<Range>& logits, const Range& sink) {
  Integer top = kind.null_slot ? sink.upper : logits.front().upper;
  for (const Range& logit : logits) top = std::max(top, logit.upper);
  return top;
}

// A kernel's share of a row's; `lower` and `upper` sum all of them. An upper end is at least 1.
Range share(const Range& kernel, const Integer& lower, const Integer& upper, unsigned p) {
  const Integer one = unit(p);
  Range result{0, ceil_div(one * kernel.upper, kernel.upper + lower - kernel.lower)};
  if (kernel.lower != 0) {
    result.lower = floor_div(one * kernel.lower, kernel.lower + upper - kernel.upper);
  }
  return result;
}

}  // namespace

Weights weights_of(const AttentionKind& kind, const std::vector<Range>& logits, const Range& sink,
                   unsigned p) {
  const Integer top = top_of(kind, logits, sink);
  Weights result{{}, {0, 0}};
  for (const Range& logit : logits) result.keys.push_back(kernel_of(kind.kernel, logit, top, p));
  if (!kind.normalised) {
    const Integer divisor = std::max<std::size_t>(1, logits.size() - 1);
    for (Range& weight : result.keys) {
      weight = {floor_div(weight.lower, divisor), ceil_div(weight.upper, divisor)};
    }
    return result;
  }
  if (kind.null_slot) result.null = kernel_of(kind.kernel, sink, top, p);
  Integer lower = result.null.lower;
  Integer upper = result.null.upper;
  for (const Range& kernel : result.keys) {
    lower += kernel.lower;
    upper += kernel.upper;
  }
  for (Range& kernel : result.keys) kernel = share(kernel, lower, upper, p);
  if (kind.null_slot) result.null = share(result.null, lower, upper, p);
  return result;
}

Range logistic(const Range& x, unsigned p) {
  return {logistic_lower(x.lower, p), logistic_upper(x.upper, p)};
}

}  // namespace sinkproof::forward
