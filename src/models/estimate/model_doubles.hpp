// What doubles do in a language model's pass: the Numbers of forward/body.hpp over a file's
// tensors, a panel of which is widened to doubles at a time. The enclosing twin is
// language/model_balls.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "estimate/activation.hpp"
#include "estimate/dense.hpp"
#include "estimate/double_rows.hpp"
#include "estimate/rotary.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

// A head's queries are not scaled; its logits are. Throws Error SP0405: a weight is NaN or infinite
// (layer and map are named).
class ModelDoubles : public DoubleRows {
 public:
  using Layer = language::Layer;
  static constexpr bool kAttentionOnly = false;

  // Positions of the longest sequence.
  ModelDoubles(const language::Config& config, std::size_t positions);

  forward::Shape enter(std::size_t layer);
  void leave() { at_.clear(); }  // the last layer
  // Adds row `number` of a table to row `to` of x.
  void add_row(const safetensors::View& table, std::size_t number, Matrix& x, std::size_t to,
               const char* name);
  void map(const language::Map& map, const Matrix& x, std::size_t first, Matrix& y,
           const char* name);
  void add_mapped(const language::Map& map, const Matrix& x, std::size_t first, Matrix& y,
                  const char* name);
  void normalise(const language::NormWeights& weights, const Matrix& x, std::size_t width,
                 Matrix& y, const char* name) const;
  // Rows `first` .. of each sequence alone, where all are equally long.
  void keep(Matrix& x, std::size_t first) const;
  void activate(Matrix& x) const { estimate::activate(config_.activation, x); }
  void multiply(Matrix& x, const Matrix& by) const;
  void scale(const Matrix&) const {}
  void turn(Matrix& x, std::size_t row, std::size_t position) const;
  [[nodiscard]] double sink(const language::Layer& layer, std::size_t head) const;

  // Shown a panel at a time: logits first .. first + columns - 1 of every row.
  void logits(const language::Map& head, const Matrix& x,
              const std::function<void(std::size_t first, const estimate::Rows& logits)>& visit);

 private:
  void finite(bool is_finite, const char* name) const;

  const language::Config& config_;
  std::size_t positions_;
  RotaryTable table_;
  std::string at_;  // where an error is, but for its last word
  std::vector<double> row_;
  Panel panel_;
};

}  // namespace sinkproof::estimate
