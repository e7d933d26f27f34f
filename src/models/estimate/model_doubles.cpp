#include "estimate/model_doubles.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "estimate/normalise.hpp"
#include "estimate/widen.hpp"
#include "exact/error.hpp"
#include "language/model_pass.hpp"

namespace sinkproof::estimate {

using language::Map;

ModelDoubles::ModelDoubles(const language::Config& config, std::size_t positions)
    : DoubleRows(config.kind(), 1 / std::sqrt(static_cast<double>(config.head_width))),
      config_(config),
      positions_(positions) {
  if (config.rotary) table_ = rotary_table(*config.rotary, positions);
}

forward::Shape ModelDoubles::enter(std::size_t layer) {
  at_ = "layer " + std::to_string(layer) + ", ";
  return language::shape_of(config_, layer);
}

void ModelDoubles::finite(bool is_finite, const char* name) const {
  if (is_finite) return;
  throw exact::Error{"SP0405", at_ + name,
                     "has a NaN or infinite weight, so every figure would be NaN; use a checkpoint "
                     "from before training diverged, or save the model again"};
}

void ModelDoubles::add_row(const safetensors::View& table, std::size_t number, Matrix& x,
                           std::size_t to, const char* name) {
  const std::size_t n = x.columns;
  row_.resize(n);
  finite(widen(table, number * n, n, row_.data()), name);
  cblas_daxpy(static_cast<blasint>(n), 1, row_.data(), 1, x.row(to), 1);
}

void ModelDoubles::map(const Map& map, const Matrix& x, std::size_t, Matrix& y, const char* name) {
  finite(apply(map, x.view(), false, y, panel_), name);
}

void ModelDoubles::add_mapped(const Map& map, const Matrix& x, std::size_t, Matrix& y,
                              const char* name) {
  finite(apply(map, x.view(), true, y, panel_), name);
}

void ModelDoubles::normalise(const language::NormWeights& weights, const Matrix& x,
                             std::size_t width, Matrix& y, const char* name) const {
  const language::Norm kind = config_.architecture->norm;
  if (kind == language::Norm::kNone) {
    if (&y != &x) y = x;
    return;
  }
  finite(estimate::normalise(kind, config_.epsilon, weights, x.view(), width, y), name);
}

void ModelDoubles::keep(Matrix& x, std::size_t first) const {
  std::size_t to = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (i % positions_ >= first) std::copy_n(x.row(i), x.columns, x.row(to++));
  }
  x.resize(to, x.columns);
}

void ModelDoubles::multiply(Matrix& x, const Matrix& by) const {
  for (std::size_t e = 0; e < x.values.size(); ++e) x.values[e] *= by.values[e];
}

void ModelDoubles::turn(Matrix& x, std::size_t row, std::size_t position) const {
  rotate(table_, position, x.columns / config_.head_width, config_.head_width, x.row(row));
}

double ModelDoubles::sink(const language::Layer& layer, std::size_t head) const {
  double logit = 0;
  if (layer.sinks != nullptr) finite(widen(*layer.sinks, head, 1, &logit), "sinks");
  return logit;
}

void ModelDoubles::logits(
    const Map& head, const Matrix& x,
    const std::function<void(std::size_t first, const estimate::Rows& logits)>& visit) {
  finite(apply_by_panels(head, x.view(), panel_, visit), "output head");
}

}  // namespace sinkproof::estimate
