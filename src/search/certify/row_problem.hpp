// One attention row as an optimisation problem: the keys a query sees, their noise as the
// variables, and a number to push up, with its gradient. Doubles: what comes out is a candidate
// witness, which attained.hpp then evaluates exactly.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "certify/layer.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

// Whose attention: the BOS token's or the null slot's.
enum class Slot { kBos, kNull };

class RowProblem {
 public:
  // The row at position `row` >= 2 of a sequence of its class. A trigger among the keys is the
  // query itself (kTrigger) or the key at position 3 (kPost, row >= 4).
  RowProblem(const Layer& layer, RowClass rows, std::size_t row);

  // Goal: sign * (out_r - target_r).
  void aim_at_loss(std::size_t coordinate, double sign);
  // Goal: sign * the attention of one head on the slot; where weights are normalised, its
  // log-odds, which order the same way. Precondition for kNull: the layer has the slot.
  void aim_at_attention(Slot slot, std::size_t head, double sign);

  // Number of keys beside BOS; each has `noise` variables, position after position.
  [[nodiscard]] std::size_t keys() const { return flags_.size(); }
  [[nodiscard]] std::size_t variables() const { return flags_.size() * layer_.noise(); }
  [[nodiscard]] std::size_t row() const { return flags_.size() + 1; }
  [[nodiscard]] RowClass rows() const { return rows_; }

  // Minus infinity where doubles do not say (all kernels underflow), and for a loss where the
  // checker could not evaluate the row: a logit lies further above BOS's than its exp goes
  // (attained.hpp).
  double value(std::span<const double> noise) { return evaluate(noise, {}); }
  // Fills gradient (same length) as well.
  double value(std::span<const double> noise, std::span<double> gradient) {
    return evaluate(noise, gradient);
  }

 private:
  double evaluate(std::span<const double> noise, std::span<double> gradient);
  [[nodiscard]] bool is_within_exp() const;
  double evaluate_head(std::size_t h, std::span<const double> noise, std::span<double> gradient);
  void compute_scores(const Head& head, std::span<const double> noise);
  void compute_kernels();
  double head_output();
  double head_attention();
  double gate(std::size_t h, std::span<const double> own, double out, std::span<double> gradient);
  void add_gradient(const Head& head, std::span<const double> noise, std::span<double> gradient);
  double subtract_target(std::span<const double> noise, std::span<double> gradient) const;

  const Layer& layer_;
  RowClass rows_;
  std::vector<std::size_t> flags_;  // of the keys beside BOS; the last is the query's
  bool loss_ = true;
  Slot slot_ = Slot::kBos;
  std::size_t coordinate_ = 0;
  std::size_t head_ = 0;
  double sign_ = 1;
  bool within_exp_ = true;      // the scores of every head so far
  double scale_ = 1;            // of the gradient of the head at hand: sign and gate
  double null_ = 0;             // kernel of the null slot, in the scale of kernel_
  double total_ = 1;            // what its kernels are divided by
  std::vector<double> query_;   // M^T x_query
  std::vector<double> score_;   // logits, BOS first
  std::vector<double> values_;  // v(key)_r, BOS first
  std::vector<double> kernel_;  // BOS first
  std::vector<double> slope_;   // of the kernels, then of the goal by each logit
};

}  // namespace sinkproof::certify
