// What balls do in any pass: the Numbers of forward/body.hpp but for maps and what only language
// models have. Every function throws TooCoarse where a number leaves the range of the pass.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "forward/ball.hpp"
#include "forward/body.hpp"
#include "forward/elementary.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {

class BallRows {
 public:
  using Rows = Balls;
  using Part = Block;
  using RowWeights = forward::Weights;  // of keys up to the last one that is seen, at least
  using Weights = std::vector<std::vector<Range>>;
  using Outputs = std::vector<Balls>;

  explicit BallRows(unsigned p) : p_(p) {}

  void clear(Balls& rows, std::size_t count, std::size_t columns) const {
    rows = Balls(count, columns);
  }
  void fit(Balls& rows) const { rows = fitting(std::move(rows), p_); }

  [[nodiscard]] Block part(const Balls& rows, std::size_t begin, std::size_t length,
                           std::size_t column, std::size_t width) const {
    return block(rows, begin, length, column, width);
  }

  template <typename Head>
  void begin(Head& rows, std::size_t, const std::optional<Block>&) const {
    rows.outputs.resize(rows.queries.rows());
  }

  template <typename Head>
  void mix(Head& rows, std::size_t i, const RowWeights& weights) const {
    rows.outputs[i] = fitting(combination(weights.keys, rows.values, p_), p_);
  }

  template <typename Head>
  void finish(const Head&, const Sequence&, const Balls&) const {}

  // Outputs, times the logistic function of their gates where there are gates, become part of their
  // rows.
  template <typename Head>
  void place(const Head& rows, const Sequence& one, const Balls* gates, Balls& mixed) const {
    for (std::size_t i = 0; i < rows.outputs.size(); ++i) {
      Balls row = rows.outputs[i];
      if (row.rows() == 0) continue;  // not computed
      if (gates != nullptr) {
        const Range gate = logistic(entry_of(*gates, one.begin + i, rows.head), p_);
        row = fitting(times(gate, row, p_), p_);
      }
      put(mixed, one.begin + i, rows.head * row.columns(), row);
    }
  }

 protected:
  // Of the keys that query i sees; keys before `kept` by `cached`.
  template <typename Head>
  [[nodiscard]] std::vector<Range> logits(const Head& rows, std::size_t i,
                                          const std::vector<std::size_t>& seen, std::size_t kept,
                                          const std::optional<Block>& cached,
                                          const exact::Rational& scale) const {
    std::vector<Range> result;
    result.reserve(seen.size());
    for (const std::size_t k : seen) {
      const Block& queries = k < kept ? *cached : rows.queries;
      result.push_back(fitting(logit(queries, i, rows.keys, k, scale, p_), p_));
    }
    return result;
  }

  unsigned p_;
};

}  // namespace sinkproof::forward
