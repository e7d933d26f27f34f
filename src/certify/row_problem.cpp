#include "certify/row_problem.hpp"

#include <algorithm>
#include <cmath>

namespace sinkproof::certify {

RowProblem::RowProblem(const Head& head, model::Attention attention, RowClass rows, std::size_t row)
    : head_(head),
      attention_(attention),
      rows_(rows),
      flags_(row - 1, head.content_flag()),
      query_(head.width),
      score_(row),
      values_(row),
      weight_(row) {
  if (rows == RowClass::kTrigger) flags_.back() = kTriggerFlag;
  if (rows == RowClass::kPost) flags_[1] = kTriggerFlag;
}

void RowProblem::aim(Goal goal, std::size_t coordinate, double sign) {
  goal_ = goal;
  coordinate_ = coordinate;
  sign_ = sign;
}

void RowProblem::compute_scores(std::span<const double> noise) {
  const std::size_t d = head_.noise;
  const auto& m = head_.logit_float;
  const auto& v = head_.value_float;
  const double* own = noise.data() + (keys() - 1) * d;
  for (std::size_t c = 0; c < head_.width; ++c) {
    double sum = m(flags_.back(), c);
    for (std::size_t k = 0; k < d; ++k) sum += own[k] * m(kFirstNoise + k, c);
    query_[c] = sum;
  }
  score_[0] = query_[kBosFlag];
  values_[0] = v(coordinate_, kBosFlag);
  for (std::size_t i = 0; i < keys(); ++i) {
    const double* w = noise.data() + i * d;
    double score = query_[flags_[i]];
    double value = v(coordinate_, flags_[i]);
    for (std::size_t k = 0; k < d; ++k) {
      score += query_[kFirstNoise + k] * w[k];
      value += v(coordinate_, kFirstNoise + k) * w[k];
    }
    score_[i + 1] = score;
    values_[i + 1] = value;
  }
}

// Both fill weight_ and the derivative of the goal by each score, and return sum a_k v_k (or the
// goal on BOS attention).
double RowProblem::softmax_loss(std::vector<double>& weight_slope) {
  const double top = *std::max_element(score_.begin(), score_.end());
  double total = 0;
  for (std::size_t i = 0; i < score_.size(); ++i) total += weight_[i] = std::exp(score_[i] - top);
  double out = 0;
  for (std::size_t i = 0; i < score_.size(); ++i) out += (weight_[i] /= total) * values_[i];
  if (goal_ == Goal::kBosAttention) {
    // log(a_BOS / (1 - a_BOS)): the log-sum-exp of the others is what moves.
    const double rest = std::max(1 - weight_[0], 1e-300);
    for (std::size_t i = 0; i < score_.size(); ++i) {
      weight_slope[i] = i == 0 ? 1 : -weight_[i] / rest;
    }
    return std::log(std::max(weight_[0], 1e-300) / rest);
  }
  for (std::size_t i = 0; i < score_.size(); ++i) weight_slope[i] = weight_[i] * (values_[i] - out);
  return out;
}

double RowProblem::relu_loss(std::vector<double>& weight_slope) {
  const double share = 1 / static_cast<double>(std::max<std::size_t>(1, row() - 1));
  double out = 0;
  for (std::size_t i = 0; i < score_.size(); ++i) {
    const bool on = score_[i] > 0;
    weight_[i] = on ? score_[i] * share : 0;
    out += weight_[i] * values_[i];
    weight_slope[i] = on ? share * values_[i] : 0;
  }
  if (goal_ == Goal::kBosAttention) {
    std::fill(weight_slope.begin(), weight_slope.end(), 0.0);
    weight_slope[0] = share;
    return score_[0] * share;
  }
  return out;
}

double RowProblem::evaluate(std::span<const double> noise, std::span<double> gradient) {
  compute_scores(noise);
  std::vector<double> slope(score_.size());
  const double out =
      attention_ == model::Attention::kSoftmax ? softmax_loss(slope) : relu_loss(slope);
  const bool has_target = goal_ == Goal::kLoss && rows_ == RowClass::kTrigger;
  const double share = 1 / static_cast<double>(keys());
  const std::size_t d = head_.noise;
  double target = 0;
  if (has_target) {
    for (std::size_t i = 0; i < keys(); ++i) {
      if (coordinate_ == flags_[i]) target += share;
      if (coordinate_ >= kFirstNoise && coordinate_ < head_.content_flag()) {
        target += share * noise[i * d + coordinate_ - kFirstNoise];
      }
    }
  }
  if (!gradient.empty()) {
    const auto& m = head_.logit_float;
    const auto& v = head_.value_float;
    const bool loss = goal_ == Goal::kLoss;
    std::vector<double> pooled(head_.width);  // sum of slope * key, for the query's own gradient
    pooled[kBosFlag] = slope[0];
    for (std::size_t i = 0; i < keys(); ++i) {
      pooled[flags_[i]] += slope[i + 1];
      for (std::size_t k = 0; k < d; ++k) {
        pooled[kFirstNoise + k] += slope[i + 1] * noise[i * d + k];
        double g = slope[i + 1] * query_[kFirstNoise + k];
        if (loss) g += weight_[i + 1] * v(coordinate_, kFirstNoise + k);
        if (has_target && coordinate_ == kFirstNoise + k) g -= share;
        gradient[i * d + k] = sign_ * g;
      }
    }
    double* own = gradient.data() + (keys() - 1) * d;
    for (std::size_t k = 0; k < d; ++k) {
      double g = 0;
      for (std::size_t c = 0; c < head_.width; ++c) g += m(kFirstNoise + k, c) * pooled[c];
      own[k] += sign_ * g;
    }
  }
  return sign_ * (out - target);
}

}  // namespace sinkproof::certify
