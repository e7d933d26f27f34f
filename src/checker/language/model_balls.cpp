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
    : BallRows(p), config_(config), each_(each), constants_(p) {
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

void ModelBalls::map(const Map& map, const Balls& x, std::size_t, Balls& y, const char*) const {
  y = fitting(apply(map, x, p_, each_), p_);
}

void ModelBalls::add_mapped(const Map& map, const Balls& x, std::size_t, Balls& y,
                            const char*) const {
  forward::add(y, fitting(apply(map, x, p_, each_), p_), 1);
  fit(y);
}

void ModelBalls::normalise(const NormWeights& weights, const Balls& x, std::size_t width, Balls& y,
                           const char*) const {
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
