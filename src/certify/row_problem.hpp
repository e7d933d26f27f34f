// One attention row as an optimisation problem: the keys a query sees, their noise as the
// variables, and a number to push up, with its gradient. Doubles: what comes out is a candidate
// witness, which attained.hpp then evaluates exactly.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "certify/head.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

enum class Goal {
  kLoss,          // sign * (out_r - target_r)
  kBosAttention,  // sign * BOS attention (softmax: of its logit, which orders the same way)
};

class RowProblem {
 public:
  // The row at position `row` >= 2 of a sequence of its class. A trigger among the keys is the
  // query itself (kTrigger) or the key at position 3 (kPost, row >= 4).
  RowProblem(const Head& head, model::Attention attention, RowClass rows, std::size_t row);

  void aim(Goal goal, std::size_t coordinate, double sign);

  // Number of keys beside BOS; each has head.noise variables, position after position.
  [[nodiscard]] std::size_t keys() const { return flags_.size(); }
  [[nodiscard]] std::size_t variables() const { return flags_.size() * head_.noise; }
  [[nodiscard]] std::size_t row() const { return flags_.size() + 1; }
  [[nodiscard]] RowClass rows() const { return rows_; }

  double value(std::span<const double> noise) { return evaluate(noise, {}); }
  // Fills gradient (same length) as well.
  double value(std::span<const double> noise, std::span<double> gradient) {
    return evaluate(noise, gradient);
  }

 private:
  double evaluate(std::span<const double> noise, std::span<double> gradient);
  void compute_scores(std::span<const double> noise);
  double softmax_loss(std::vector<double>& weight_slope);
  double relu_loss(std::vector<double>& weight_slope);

  const Head& head_;
  model::Attention attention_;
  RowClass rows_;
  std::vector<std::size_t> flags_;  // of the keys beside BOS; the last is the query's
  Goal goal_ = Goal::kLoss;
  std::size_t coordinate_ = 0;
  double sign_ = 1;
  std::vector<double> query_;   // M^T x_query
  std::vector<double> score_;   // logits, BOS first
  std::vector<double> values_;  // v(key)_r, BOS first
  std::vector<double> weight_;  // attention weights, BOS first
};

}  // namespace sinkproof::certify
