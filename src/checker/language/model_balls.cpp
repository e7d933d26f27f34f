#include "language/model_balls.hpp"

#include <utility>

#include "exact/whole.hpp"
#include "language/model_pass.hpp"
#include "language/rotary.hpp"

namespace sinkproof::language {

using forward::Balls;
using forward::fitting;
using forward::Range;

ModelBalls::ModelBalls(const Config& config, std::size_t positions, unsigned p, const ForEach& each)
    : BallRows(p), config_(config), positions_(positions), each_(each), constants_(p) {
  if (config.rotary) angles_ = rotary_angles(*config.rotary, positions, p);
  const Range one{unit(p), unit(p)};
  scale_ = forward::over(one, forward::root_of(forward::range_of(config.head_width, p), p), p);
}

forward::Shape ModelBalls::enter(std::size_t layer) const { return shape_of(config_, layer); }

void ModelBalls::add_row(const safetensors::View& table, std::size_t row, Balls& x, std::size_t to,
                         const char*) const {
  bool rounded = false;
  const std::size_t width = x.columns();
  for (std::size_t j = 0; j < width; ++j) {
    const Range e = element(table, row * width + j, p_);
    x.centre(to, j) += e.lower;
    rounded = rounded || e.lower != e.upper;
  }
  if (rounded) x.radius[to] += 1;
}

void ModelBalls::keep(Balls& x, std::size_t first) const {
  Balls kept(x.rows() / positions_ * (positions_ - first), x.columns());
  std::size_t to = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (i % positions_ < first) continue;
    for (std::size_t j = 0; j < x.columns(); ++j) kept.centre(to, j) = x.centre(i, j);
    kept.radius[to++] = x.radius[i];
  }
  x = std::move(kept);
}

// Rows `first` .. of each sequence, from those that were kept; the others are 0.
Balls ModelBalls::spread_out(const Balls& kept, std::size_t rows, std::size_t first) const {
  Balls all(rows, kept.columns());
  std::size_t from = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % positions_ < first) continue;
    for (std::size_t j = 0; j < all.columns(); ++j) all.centre(i, j) = kept.centre(from, j);
    all.radius[i] = kept.radius[from++];
  }
  return all;
}

Balls ModelBalls::mapped(const Map& map, const Balls& x, std::size_t first) const {
  if (first == 0) return fitting(apply(map, x, p_, each_), p_);
  Balls kept = x;
  keep(kept, first);
  return spread_out(fitting(apply(map, kept, p_, each_), p_), x.rows(), first);
}

void ModelBalls::map(const Map& map, const Balls& x, std::size_t first, Balls& y,
                     const char*) const {
  y = mapped(map, x, first);
}

void ModelBalls::add_mapped(const Map& map, const Balls& x, std::size_t first, Balls& y,
                            const char*) const {
  forward::add(y, mapped(map, x, first), 1);
  fit(y);
}

void ModelBalls::normalise(const NormWeights& weights, const Balls& x, std::size_t width, Balls& y,
                           const char*) const {
  if (config_.architecture->norm == Norm::kNone) {
    if (&y != &x) y = x;
    return;
  }
  y = normalised(x, weights, config_.architecture->norm, config_.epsilon, width, p_);
}

void ModelBalls::activate(Balls& x) const {
  x = activated(x, config_.activation, constants_, each_);
}

void ModelBalls::multiply(Balls& x, const Balls& by) const { x = fitting(product(x, by, p_), p_); }

void ModelBalls::scale(Balls& queries) const { queries = scaled(queries, scale_, p_); }

void ModelBalls::turn(Balls& x, std::size_t row, std::size_t position) const {
  rotate(x, row, config_.head_width, angles_[position], p_);
}

Range ModelBalls::sink(const Layer& layer, std::size_t head) const {
  if (layer.sinks == nullptr) return {0, 0};
  return fitting(element(*layer.sinks, head, p_), p_);
}

std::vector<Range> ModelBalls::spread(const std::vector<Range>& logits,
                                      const std::vector<std::size_t>& seen, const Range& sink,
                                      std::size_t length) const {
  std::vector<Range> row(length, Range{0, 0});
  if (seen.empty()) return row;  // nothing is put out
  const certificate::AttentionKind& kind = config_.kind();
  std::vector<Range> weights = kind.normalised ? forward::weights_of(kind, logits, sink, p_).keys
                                               : forward::kernels_of(kind, logits, 0, p_);
  for (std::size_t n = 0; n < seen.size(); ++n) row[seen[n]] = std::move(weights[n]);
  return row;
}

}  // namespace sinkproof::language
