#include "certify/row_problem.hpp"

#include <algorithm>
#include <cmath>

#include "certify/kernel.hpp"

namespace sinkproof::certify {
namespace {
constexpr double kTiny = 1e-300;
}  // namespace

RowProblem::RowProblem(const Layer& layer, RowClass rows, std::size_t row)
    : layer_(layer),
      rows_(rows),
      flags_(row - 1, layer.heads.front().content_flag()),
      query_(layer.width()),
      score_(row),
      values_(row),
      kernel_(row),
      slope_(row) {
  if (rows == RowClass::kTrigger) flags_.back() = kTriggerFlag;
  if (rows == RowClass::kPost) flags_[1] = kTriggerFlag;
}

void RowProblem::aim_at_loss(std::size_t coordinate, double sign) {
  loss_ = true;
  coordinate_ = coordinate;
  sign_ = sign;
}

void RowProblem::aim_at_attention(Slot slot, std::size_t head, double sign) {
  loss_ = false;
  slot_ = slot;
  head_ = head;
  sign_ = sign;
}

void RowProblem::compute_scores(const Head& head, std::span<const double> noise) {
  const std::size_t d = head.noise;
  const auto& m = head.logit_float;
  const auto& v = head.value_float;
  const double* own = noise.data() + (keys() - 1) * d;
  for (std::size_t c = 0; c < head.width; ++c) {
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

bool RowProblem::is_within_exp() const {
  if (!loss_ || !layer_.has_only_ratios()) return true;
  return *std::max_element(score_.begin(), score_.end()) - score_[0] <= kMostExpArgument;
}

// Fills kernel_, slope_ (of the kernels) and total_.
void RowProblem::compute_kernels() {
  double top = *std::max_element(score_.begin(), score_.end());
  if (layer_.has_null_slot()) top = std::max(top, 0.0);
  null_ = layer_.has_null_slot() ? std::exp(-top) : 0;
  total_ = null_;
  for (std::size_t i = 0; i < score_.size(); ++i) {
    const KernelValue at = kernel(layer_.attention, score_[i], top);
    kernel_[i] = at.value;
    slope_[i] = at.slope;
    total_ += at.value;
  }
  if (!model::is_normalised(layer_.attention)) {
    total_ = static_cast<double>(std::max<std::size_t>(1, row() - 1));
  }
}

// Both turn slope_ into the slopes of what they return by each logit.
double RowProblem::head_output() {
  double out = 0;
  for (std::size_t i = 0; i < score_.size(); ++i) out += kernel_[i] * values_[i] / total_;
  const double reference = model::is_normalised(layer_.attention) ? out : 0;
  for (std::size_t i = 0; i < score_.size(); ++i) slope_[i] *= (values_[i] - reference) / total_;
  return out;
}

double RowProblem::head_attention() {
  if (!model::is_normalised(layer_.attention)) {
    std::fill(slope_.begin() + 1, slope_.end(), 0.0);
    slope_[0] /= total_;
    return kernel_[0] / total_;
  }
  // log(a / (1 - a)): the sum of the others is what moves.
  const bool bos = slot_ == Slot::kBos;
  double others = 0;
  for (std::size_t i = bos ? 1 : 0; i < kernel_.size(); ++i) others += kernel_[i];
  if (bos) others += null_;
  others = std::max(others, kTiny);
  const double own = std::max(bos ? kernel_[0] : null_, kTiny);
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    slope_[i] /= bos && i == 0 ? own : -others;
  }
  return std::log(own / others);
}

// The gated output, its slope by the query's own noise added to the gradient.
double RowProblem::gate(std::size_t h, std::span<const double> own, double out,
                        std::span<double> gradient) {
  const Gate& gate = layer_.gates[h];
  double logit = gate.bias_float + gate.weight_float[flags_.back()];
  for (std::size_t k = 0; k < own.size(); ++k) logit += gate.weight_float[kFirstNoise + k] * own[k];
  const double open = logistic(logit);
  scale_ *= open;
  for (std::size_t k = 0; !gradient.empty() && k < own.size(); ++k) {
    gradient[(keys() - 1) * own.size() + k] +=
        sign_ * out * open * (1 - open) * gate.weight_float[kFirstNoise + k];
  }
  return open * out;
}

// The gradient through one head's logits, and for the loss through its values.
void RowProblem::add_gradient(const Head& head, std::span<const double> noise,
                              std::span<double> gradient) {
  const auto& m = head.logit_float;
  const std::size_t d = head.noise;
  std::vector<double> pooled(head.width);  // sum of slope * key, for the query's own gradient
  pooled[kBosFlag] = slope_[0];
  for (std::size_t i = 0; i < keys(); ++i) {
    pooled[flags_[i]] += slope_[i + 1];
    const double weight = loss_ ? kernel_[i + 1] / total_ : 0;
    for (std::size_t k = 0; k < d; ++k) {
      pooled[kFirstNoise + k] += slope_[i + 1] * noise[i * d + k];
      const double g = slope_[i + 1] * query_[kFirstNoise + k] +
                       weight * head.value_float(coordinate_, kFirstNoise + k);
      gradient[i * d + k] += scale_ * g;
    }
  }
  double* own = gradient.data() + (keys() - 1) * d;
  for (std::size_t k = 0; k < d; ++k) {
    double g = 0;
    for (std::size_t c = 0; c < head.width; ++c) g += m(kFirstNoise + k, c) * pooled[c];
    own[k] += scale_ * g;
  }
}

double RowProblem::evaluate_head(std::size_t h, std::span<const double> noise,
                                 std::span<double> gradient) {
  const Head& head = layer_.heads[h];
  compute_scores(head, noise);
  compute_kernels();
  within_exp_ = within_exp_ && is_within_exp();
  scale_ = sign_;
  double result = loss_ ? head_output() : head_attention();
  if (loss_ && layer_.is_gated()) {
    const std::size_t d = head.noise;
    result = gate(h, noise.subspan((keys() - 1) * d, d), result, gradient);
  }
  if (!gradient.empty()) add_gradient(head, noise, gradient);
  return result;
}

// The target of the row, its slope subtracted from the gradient.
double RowProblem::subtract_target(std::span<const double> noise,
                                   std::span<double> gradient) const {
  if (rows_ != RowClass::kTrigger) return 0;
  const double share = 1 / static_cast<double>(keys());
  const std::size_t d = layer_.noise();
  const std::size_t own = coordinate_ - kFirstNoise;  // meaningful for noise coordinates
  const bool is_noise = coordinate_ >= kFirstNoise && coordinate_ < layer_.width() - 1;
  const exact::Matrix<double>& token = layer_.heads.front().token_float;
  const double radius = token(coordinate_, coordinate_);
  double target = 0;
  for (std::size_t i = 0; i < keys(); ++i) {
    target += share * token(coordinate_, flags_[i]);
    if (!is_noise) continue;
    target += share * radius * noise[i * d + own];
    if (!gradient.empty()) gradient[i * d + own] -= sign_ * share * radius;
  }
  return target;
}

double RowProblem::evaluate(std::span<const double> noise, std::span<double> gradient) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  double value = 0;
  within_exp_ = true;
  if (loss_) {
    value = layer_.constant_float[coordinate_];
    for (std::size_t h = 0; h < layer_.heads.size(); ++h) {
      value += evaluate_head(h, noise, gradient);
    }
    value -= subtract_target(noise, gradient);
  } else {
    value = evaluate_head(head_, noise, gradient);
  }
  return within_exp_ && !std::isnan(value) ? sign_ * value : -HUGE_VAL;
}

}  // namespace sinkproof::certify
