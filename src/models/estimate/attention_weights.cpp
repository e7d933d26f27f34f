#include "estimate/attention_weights.hpp"

#include <algorithm>
#include <cmath>

namespace sinkproof::estimate {
namespace {

using certificate::Kernel;

double kernel_of(Kernel kernel, double logit) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(logit);
    case Kernel::kSigmoid:
      return logistic(logit);
    case Kernel::kElu1:
      return logit >= 0 ? logit + 1 : std::exp(logit);
    case Kernel::kRelu:
      return std::max(0.0, logit);
    case Kernel::kLinear:
      break;
  }
  return logit;
}

// Its logarithm, also where the kernel itself is not a double.
double log_kernel_of(Kernel kernel, double logit) {
  if (kernel == Kernel::kExp || (kernel == Kernel::kElu1 && logit < 0)) return logit;
  if (kernel == Kernel::kSigmoid && logit < 0) return logit - std::log1p(std::exp(logit));
  if (kernel == Kernel::kSigmoid) return -std::log1p(std::exp(-logit));
  return kernel == Kernel::kElu1 ? std::log1p(logit) : std::log(kernel_of(kernel, logit));
}

}  // namespace

double weigh(const certificate::AttentionKind& kind, double null_logit, std::span<double> logits) {
  if (!kind.normalised) {
    for (double& logit : logits) logit = kernel_of(kind.kernel, logit);
    return 0;
  }
  // Kernels over their sum, with the largest of them taken out.
  if (kind.kernel != Kernel::kExp) {
    for (double& logit : logits) logit = log_kernel_of(kind.kernel, logit);
  }
  double top = *std::max_element(logits.begin(), logits.end());
  if (kind.null_slot) top = std::max(top, null_logit);
  const double null = kind.null_slot ? std::exp(null_logit - top) : 0;
  double sum = null;
  for (double& logit : logits) sum += logit = std::exp(logit - top);
  for (double& weight : logits) weight /= sum;
  return null / sum;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace sinkproof::estimate
