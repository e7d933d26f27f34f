// What balls do in a language model's pass: the Numbers of forward/body.hpp over a file's tensors.
// LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "forward/ball_rows.hpp"
#include "language/model.hpp"
#include "language/product.hpp"
#include "language/rows.hpp"

namespace sinkproof::language {

// A head's rows; their queries are times 1/sqrt(head width).
class ModelBalls : public forward::BallRows {
 public:
  using Rows = forward::Balls;
  using Layer = language::Layer;
  static constexpr bool kAttentionOnly = false;

  // Positions of the longest sequence; those of each where rows are left out (`first` > 0). Throws
  // TooCoarse as rotary_angles.
  ModelBalls(const Config& config, std::size_t positions, unsigned p, const ForEach& each);

  forward::Shape enter(std::size_t layer) const;
  void each(std::size_t count, const std::function<void(std::size_t)>& work) const {
    each_(count, work);
  }

  // Adds row `row` of a table to row `to` of x.
  void add_row(const safetensors::View& table, std::size_t row, Rows& x, std::size_t to,
               const char* name) const;
  void map(const Map& map, const Rows& x, std::size_t first, Rows& y, const char* name) const;
  void add_mapped(const Map& map, const Rows& x, std::size_t first, Rows& y,
                  const char* name) const;
  void normalise(const NormWeights& weights, const Rows& x, std::size_t width, Rows& y,
                 const char* name) const;
  void activate(Rows& x) const;
  // Rows `first` .. of each sequence alone.
  void keep(Rows& x, std::size_t first) const;
  void multiply(Rows& x, const Rows& by) const;
  void scale(Rows& queries) const;
  void turn(Rows& x, std::size_t row, std::size_t position) const;

  [[nodiscard]] forward::Range sink(const Layer& layer, std::size_t head) const;

  // Of all keys, 0 where they are not seen; without a null slot's.
  template <typename Head>
  [[nodiscard]] RowWeights weigh(const Head& rows, std::size_t i,
                                 const std::vector<std::size_t>& seen, std::size_t kept,
                                 const std::optional<forward::Block>& cached,
                                 const forward::Range& sink) const {
    return {spread(logits(rows, i, seen, kept, cached, 1), seen, sink, rows.keys.rows()), {}};
  }

  template <typename Head>
  void mix(Head& rows, std::size_t i, RowWeights& weights) const {
    BallRows::mix(rows, i, weights);
    rows.weights.push_back(std::move(weights.keys));
  }

  // Weights of all keys of a row, 0 where it does not see them.
  [[nodiscard]] std::vector<forward::Range> spread(const std::vector<forward::Range>& logits,
                                                   const std::vector<std::size_t>& seen,
                                                   const forward::Range& sink,
                                                   std::size_t length) const;

 private:
  [[nodiscard]] Rows spread_out(const Rows& kept, std::size_t rows, std::size_t first) const;
  [[nodiscard]] Rows mapped(const Map& map, const Rows& x, std::size_t first) const;

  const Config& config_;
  std::size_t positions_;
  const ForEach each_;  // a copy: callers pass functions, of which the argument is a temporary
  Constants constants_;
  std::vector<Angles> angles_;  // by position, where they are rotary
  forward::Range scale_;
};

}  // namespace sinkproof::language
