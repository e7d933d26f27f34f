// The matrices A_k / m_k = v_j (v_a - v_i)^T / m_k of a margin system as points of a Euclidean
// space, for the min-norm point (claim ge-1): 0 is in their hull exactly when no W satisfies the
// system, and otherwise the hull's distance from 0 is the largest Frobenius margin. No matrix is
// ever formed: the least of all products with a combination is read off one T x T table of scores.
#pragma once

#include "measure/exact_scores.hpp"
#include "measure/margin_system.hpp"
#include "measure/min_norm_point.hpp"

namespace sinkproof::measure {

// Margins are the weights of the constraints alone.
template <typename Number>
class MarginPoints final : public PointSet<Number> {
 public:
  // Preconditions: both outlive this; weights has an entry > 0 for each constraint.
  MarginPoints(const exact::Matrix<Number>& gram, const MarginSystem& system,
               std::vector<Number> weights)
      : gram_(gram), system_(system), weights_(std::move(weights)) {}

  [[nodiscard]] std::size_t count() const override { return weights_.size(); }

  [[nodiscard]] Number inner(std::size_t k, std::size_t l) const override {
    const auto& [j, a, i] = system_.constraints[k].triple;
    const auto& [p, b, c] = system_.constraints[l].triple;
    const Number keys = gram_(a, b) - gram_(a, c) - gram_(i, b) + gram_(i, c);
    return gram_(j, p) * keys / (weights_[k] * weights_[l]);
  }

  [[nodiscard]] Least<Number> least(const Combination<Number>& x) const override {
    const std::size_t n = gram_.rows();
    exact::Matrix<Number> sum(n, n);
    for (std::size_t s = 0; s < x.support.size(); ++s) {
      const auto& triple = system_.constraints[x.support[s]].triple;
      const Number share = x.weights[s] / weights_[x.support[s]];
      sum(triple.query, triple.above) += share;
      sum(triple.query, triple.below) -= share;
    }
    const exact::Matrix<Number> scores = gram_ * (sum * gram_);
    Least<Number> best;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const auto& triple = system_.constraints[k].triple;
      const Number product =
          (scores(triple.query, triple.above) - scores(triple.query, triple.below)) / weights_[k];
      if (k == 0 || product < best.value) best = {k, product};
    }
    return best;
  }

 private:
  const exact::Matrix<Number>& gram_;
  const MarginSystem& system_;
  std::vector<Number> weights_;
};

}  // namespace sinkproof::measure
