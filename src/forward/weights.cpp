#include "forward/weights.hpp"

#include <algorithm>
#include <utility>

#include "forward/elementary.hpp"
#include "forward/whole.hpp"

namespace sinkproof::forward {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;
using exact::Integer;

Range elu1(const Range& x, unsigned p) {
  const Integer zero = 0;
  const Range below = exponential({std::min(zero, x.lower), std::min(zero, x.upper)}, p);
  return {x.lower >= 0 ? Integer(x.lower + unit(p)) : below.lower,
          x.upper >= 0 ? Integer(x.upper + unit(p)) : below.upper};
}

// `top`: what exp's logits are taken from.
Range kernel_of(Kernel kernel, const Range& x, const Integer& top, unsigned p) {
  switch (kernel) {
    case Kernel::kExp:
      return exponential({x.lower - top, x.upper - top}, p);
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

std::vector<Range> kernels_of(const AttentionKind& kind, const std::vector<Range>& logits,
                              unsigned p) {
  std::vector<Range> kernels;
  for (const Range& logit : logits) kernels.push_back(kernel_of(kind.kernel, logit, 0, p));
  return kernels;
}

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

}  // namespace sinkproof::forward
