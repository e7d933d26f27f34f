#include "forward/weights.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"

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

}  // namespace

std::vector<Range> kernels_of(const AttentionKind& kind, const std::vector<Range>& logits,
                              const Integer& top, unsigned p) {
  std::vector<Range> kernels;
  kernels.reserve(logits.size());
  for (const Range& logit : logits) kernels.push_back(kernel_of(kind.kernel, logit, top, p));
  return kernels;
}

Weights weights_of(const AttentionKind& kind, const std::vector<Range>& logits, const Range& sink,
                   unsigned p) {
  Integer top = kind.null_slot ? sink.upper : logits.front().upper;
  for (const Range& logit : logits) top = std::max(top, logit.upper);
  Weights result{kernels_of(kind, logits, top, p), {0, 0}};
  if (!kind.normalised) {
    const Integer others = std::max<std::size_t>(1, logits.size() - 1);
    for (Range& weight : result.keys) weight = divided(weight, others);
    return result;
  }
  if (kind.null_slot) result.null = kernel_of(kind.kernel, sink, top, p);
  Range sum = result.null;
  for (const Range& kernel : result.keys) sum = sum + kernel;
  // An end of the other kernels' sum is the same end of the sum less the kernel's.
  const auto share_of = [&](const Range& kernel) {
    return share(kernel, {sum.lower - kernel.lower, sum.upper - kernel.upper}, p);
  };
  for (Range& kernel : result.keys) kernel = share_of(kernel);
  result.null = share_of(result.null);
  return result;
}

}  // namespace sinkproof::forward
