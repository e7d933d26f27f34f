#include "estimate/normalise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimate/widen.hpp"
#include "rounded/double.hpp"

namespace sinkproof::estimate {

bool normalise(language::Norm norm, const exact::Rational& epsilon,
               const language::NormWeights& weights, const Rows& x, std::size_t group, Matrix& y) {
  std::vector<double> weight(group, 1);
  std::vector<double> bias(group, 0);
  if (weights.weight != nullptr && !widen(*weights.weight, 0, group, weight.data())) return false;
  if (weights.bias != nullptr && !widen(*weights.bias, 0, group, bias.data())) return false;
  const double added = rounded::to_double_estimate(epsilon);
  const auto count = static_cast<double>(group);
  y.resize(x.rows, x.columns);  // no change where it holds x
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t start = 0; start < x.columns; start += group) {
      const double* const from = x.row(i) + start;
      double* const to = y.row(i) + start;
      double mean = 0;
      for (std::size_t c = 0; c < group; ++c) mean += from[c];
      mean = norm == language::Norm::kLayer ? mean / count : 0;
      double squares = 0;
      for (std::size_t c = 0; c < group; ++c) squares += (from[c] - mean) * (from[c] - mean);
      const double scale = 1 / std::sqrt(squares / count + added);
      for (std::size_t c = 0; c < group; ++c) {
        to[c] = (from[c] - mean) * scale * weight[c] + bias[c];
      }
    }
  }
  return true;
}

bool attention_inputs(const language::Model& model, std::size_t layer, const Rows& x, Matrix& z) {
  const language::Config& config = model.config;
  const language::Norm norm = config.architecture->norm;
  if (!config.norm_after && norm != language::Norm::kNone) {
    return normalise(norm, config.epsilon, model.layers[layer].attention_norm, x, x.columns, z);
  }
  z.resize(x.rows, x.columns);
  for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.columns, z.row(i));
  return true;
}

}  // namespace sinkproof::estimate
