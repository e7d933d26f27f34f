#include "estimate/attention_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinkproof::estimate {
namespace {

using certificate::Kernel;

// Of kernel exp `top` is subtracted first, which changes no weight.
double kernel_value(Kernel kernel, double logit, double top) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(logit - top);
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

}  // namespace

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

bool Sight::sees(std::size_t query, std::size_t key) const {
  if (key > query) return bidirectional;
  const std::size_t back = query - key;
  if (window && back >= *window) return false;
  if (eviction && key >= eviction->first && back >= eviction->window) return false;
  return !(without_first && key == 0 && query > 0);
}

void weigh(const certificate::AttentionKind& kind, const Sight& sight, std::size_t query,
           double null_logit, std::size_t length, double* row) {
  double top = kind.null_slot ? null_logit : -std::numeric_limits<double>::infinity();
  for (std::size_t key = 0; key < length; ++key) {
    if (sight.sees(query, key)) top = std::max(top, row[key]);
  }
  double sum = kind.null_slot ? kernel_value(kind.kernel, null_logit, top) : 0;
  for (std::size_t key = 0; key < length; ++key) {
    row[key] = sight.sees(query, key) ? kernel_value(kind.kernel, row[key], top) : 0;
    sum += row[key];
  }
  if (!kind.normalised) return;
  for (std::size_t key = 0; key < length; ++key) row[key] /= sum;
}

}  // namespace sinkproof::estimate
