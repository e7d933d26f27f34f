#include "estimate/activation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinkproof::estimate {
namespace {

template <typename Function>
void each(Matrix& matrix, Function function) {
  for (double& value : matrix.values) value = function(value);
}

}  // namespace

void activate(language::Activation activation, Matrix& values) {
  using language::Activation;
  switch (activation) {
    case Activation::kRelu:
      return each(values, [](double x) { return std::max(0.0, x); });
    case Activation::kSilu:
      return each(values, [](double x) { return x / (1 + std::exp(-x)); });
    case Activation::kGelu:
      return each(values, [](double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; });
    case Activation::kGeluTanh:
      return each(values, [](double x) {
        const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
        return x / (1 + std::exp(-2 * u));
      });
  }
}

}  // namespace sinkproof::estimate
