#include "certify/stack_pass.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/estimate.hpp"
#include "certify/head.hpp"
#include "certify/kernel.hpp"
#include "exact/bits.hpp"

namespace sinkproof::certify {
namespace {

using Eigen::Index;
using ComputedRows = Eigen::Map<const Rows, 0, Eigen::OuterStride<>>;

constexpr double kTiny = 1e-300;

using Numbers = std::vector<exact::Rational>;

// Row `r` of [W b].
Numbers row_with_bias(const exact::RationalMatrix& weight, const Numbers& bias, std::size_t r) {
  Numbers row;
  for (std::size_t j = 0; j < weight.columns(); ++j) row.push_back(weight(r, j));
  row.push_back(bias.empty() ? exact::Rational(0) : bias[r]);
  return row;
}

Numbers column_of(const exact::RationalMatrix& weight, std::size_t c) {
  Numbers column;
  for (std::size_t i = 0; i < weight.rows(); ++i) column.push_back(weight(i, c));
  return column;
}

// e with 2^(e-1) < x < 2^(e+1), x the largest absolute value; nothing where all numbers are 0.
std::optional<long> exponent_of(const Numbers& numbers) {
  std::optional<long> largest;
  for (const exact::Rational& x : numbers) {
    if (x == 0) continue;
    const long exponent = static_cast<long>(exact::bits_of(numerator(x))) -
                          static_cast<long>(exact::bits_of(denominator(x)));
    largest = std::max(exponent, largest.value_or(exponent));
  }
  return largest;
}

void put_row(Rows& rows, Index r, const Numbers& numbers, const exact::Rational& factor) {
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    rows(r, static_cast<Index>(j)) = estimate(numbers[j] * factor);
  }
}

// left^T right in doubles. Each row of `left` is multiplied by a power of two and its partner
// divided by it, so that they are about equally large: this changes no product, and doubles hold
// factors whose sizes are far apart.
Rows balanced_product(const std::vector<Numbers>& left, const std::vector<Numbers>& right) {
  const auto count = static_cast<Index>(left.size());
  Rows a(count, static_cast<Index>(left.front().size()));
  Rows b(count, static_cast<Index>(right.front().size()));
  for (Index r = 0; r < count; ++r) {
    const auto above = exponent_of(left[r]);
    const auto below = exponent_of(right[r]);
    const long shift = above && below ? (*below - *above) / 2 : 0;
    put_row(a, r, left[r], exact::power_of_two(shift));
    put_row(b, r, right[r], exact::power_of_two(-shift));
  }
  return Rows(a.transpose()) * b;
}

// Head h of width w.
StackWeights::Head fold_head(const model::Layer& layer, std::size_t h, std::size_t w) {
  std::vector<Numbers> queries;
  std::vector<Numbers> keys;
  std::vector<Numbers> outputs;
  std::vector<Numbers> values;
  for (std::size_t r = h * w; r < (h + 1) * w; ++r) {
    queries.push_back(row_with_bias(layer.query, layer.query_bias, r));
    keys.push_back(row_with_bias(layer.key, layer.key_bias, r));
    outputs.push_back(column_of(layer.output, r));
    values.push_back(row_with_bias(layer.value, layer.value_bias, r));
  }
  StackWeights::Head head;
  head.logit = balanced_product(queries, keys);
  head.value = balanced_product(outputs, values);
  // Only what keys' logits have beyond the null slot's counts, which is 0 then.
  if (!layer.sinks.empty()) head.logit.bottomRightCorner(1, 1).array() -= estimate(layer.sinks[h]);
  if (layer.gate.rows() > 0) {
    const Numbers gate = row_with_bias(layer.gate, layer.gate_bias, h);
    head.gate.resize(static_cast<Index>(gate.size()));
    std::transform(gate.begin(), gate.end(), head.gate.begin(), estimate);
  }
  return head;
}

// `n` coordinates and the 1 of a matrix's rows (or columns), when one more stands between them.
Rows spread(Index n) {
  Rows result = Rows::Zero(n + 2, n + 1);
  result.topLeftCorner(n, n).setIdentity();
  result(n + 1, n) = 1;
  return result;
}

void add_rollout(StackWeights::Head& head, Index n) {
  const Rows place = spread(n);
  head.logit = (place * head.logit * place.transpose()).eval();
  head.value = (place.topLeftCorner(n + 1, n) * head.value * place.transpose()).eval();
  head.value(n, n) = 1;
}

}  // namespace

StackWeights::StackWeights(const model::AttentionModel& model, bool rollout)
    : attention(model.attention),
      residual(model.residual),
      tokens(static_cast<Index>(model.d_model)),
      width(tokens + (rollout ? 1 : 0)),
      centre(noise()),
      radius(noise()) {
  for (Index k = 0; k < noise(); ++k) {
    centre(k) = estimate(model.box.centre(static_cast<std::size_t>(k)));
    radius(k) = estimate(model.box.radius(static_cast<std::size_t>(k)));
  }
  for (const model::Layer& source : model.layers) {
    Layer layer;
    const std::size_t head_width = source.query.rows() / model.num_heads;
    for (std::size_t h = 0; h < model.num_heads; ++h) {
      layer.heads.push_back(fold_head(source, h, head_width));
      if (rollout) add_rollout(layer.heads.back(), tokens);
    }
    layer.constant = Eigen::RowVectorXd::Zero(width);
    for (Index r = 0; !source.output_bias.empty() && r < tokens; ++r) {
      layer.constant(r) = estimate(source.output_bias[r]);
    }
    layers.push_back(std::move(layer));
  }
}

void weigh(model::Attention attention, std::span<double> scores, double* slopes) {
  const certificate::AttentionKind& kind = certificate::kind_of(attention);
  double top = *std::max_element(scores.begin(), scores.end());
  if (kind.null_slot) top = std::max(top, 0.0);
  double total = kind.null_slot ? std::exp(-top) : 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const KernelValue at = kernel(attention, scores[k], top);
    scores[k] = at.value;
    slopes[k] = at.slope;
    total += at.value;
  }
  if (!kind.normalised) total = static_cast<double>(std::max<std::size_t>(1, scores.size() - 1));
  for (std::size_t k = 0; k < scores.size(); ++k) {
    scores[k] /= total;
    slopes[k] /= total;
  }
}

StackPass::StackPass(const StackWeights& weights, const SequenceShape& shape)
    : weights_(weights), shape_(shape), traces_(weights.layers.size()) {
  for (Trace& trace : traces_) trace.heads.resize(weights.layers.front().heads.size());
}

// Rows of the layer's input whose outputs are computed.
auto StackPass::computed_rows(const Trace& trace) const {
  const Index m = trace.input.cols();
  const Index step = shape_.row - trace.rows + 1;
  return ComputedRows(trace.input.data() + (step - 1) * m, trace.input.rows() / step, m,
                      Eigen::OuterStride<>(step * m));
}

void StackPass::fill_tokens(const Rows& noise) {
  const Index d = weights_.noise();
  Rows& tokens = traces_.front().input;
  tokens.setZero(batch_ * shape_.row, weights_.width + 1);
  tokens.col(weights_.width).setOnes();
  for (Index i = 0; i < batch_ * shape_.row; ++i) {
    const Index position = i % shape_.row + 1;
    const Index content = position == shape_.trigger ? Index{kTriggerFlag} : weights_.tokens - 1;
    tokens(i, position == 1 ? Index{kBosFlag} : content) = 1;
    if (position == 1) tokens.row(i).tail(1 + weights_.width - weights_.tokens).setOnes();
    if (position == 1) continue;
    tokens.row(i).segment(kFirstNoise, d) =
        weights_.centre +
        noise.row(i / shape_.row).segment((position - 2) * d, d).cwiseProduct(weights_.radius);
  }
}

void StackPass::compute_scores(std::size_t layer) {
  Trace& trace = traces_[layer];
  const Index r = trace.rows;
  const Index t = shape_.row;
  for (std::size_t h = 0; h < trace.heads.size(); ++h) {
    HeadTrace& head = trace.heads[h];
    head.queries.noalias() = computed_rows(trace) * weights_.layers[layer].heads[h].logit;
    head.weights.resize(batch_ * r, t);
    for (Index b = 0; b < batch_; ++b) {
      head.weights.middleRows(b * r, r).noalias() =
          head.queries.middleRows(b * r, r) * trace.input.middleRows(b * t, t).transpose();
    }
  }
}

void StackPass::pool(std::size_t layer) {
  Trace& trace = traces_[layer];
  const Index r = trace.rows;
  const Index t = shape_.row;
  for (std::size_t h = 0; h < trace.heads.size(); ++h) {
    HeadTrace& head = trace.heads[h];
    head.slopes.resize(batch_ * r, t);
    for (Index i = 0; i < head.weights.rows(); ++i) {
      const auto keys = static_cast<std::size_t>(t - r + i % r + 1);
      double* scores = head.weights.row(i).data();
      double* slopes = head.slopes.row(i).data();
      weigh(weights_.attention, {scores, keys}, slopes);
      std::fill(scores + keys, scores + t, 0.0);
      std::fill(slopes + keys, slopes + t, 0.0);
    }
    head.pooled.resize(batch_ * r, weights_.width + 1);
    for (Index b = 0; b < batch_; ++b) {
      head.pooled.middleRows(b * r, r).noalias() =
          head.weights.middleRows(b * r, r) * trace.input.middleRows(b * t, t);
    }
    if (!weights_.kind().gated) continue;
    const Eigen::VectorXd logits = computed_rows(trace) * weights_.layers[layer].heads[h].gate;
    head.open = logits.array().unaryExpr([](double x) { return logistic(x); });
  }
}

Rows StackPass::output(std::size_t layer) const {
  const Trace& trace = traces_[layer];
  const StackWeights::Layer& weights = weights_.layers[layer];
  Rows out = weights.constant.replicate(batch_ * trace.rows, 1);
  if (weights_.residual) out += computed_rows(trace).leftCols(weights_.width);
  for (std::size_t h = 0; h < trace.heads.size(); ++h) {
    const HeadTrace& head = trace.heads[h];
    const auto value = weights.heads[h].value.transpose();
    if (weights_.kind().gated) {
      out += head.open.matrix().asDiagonal() * (head.pooled * value);
    } else {
      out.noalias() += head.pooled * value;
    }
  }
  return out;
}

// The first layers with all their rows; the last of them up to its scores, at the last row alone.
void StackPass::run_layers(std::size_t count) {
  for (std::size_t l = 0; l < count; ++l) {
    traces_[l].rows = l + 1 < count ? shape_.row : 1;
    compute_scores(l);
    if (l + 1 == count) return;
    pool(l);
    Rows& next = traces_[l + 1].input;
    next.resize(batch_ * shape_.row, weights_.width + 1);
    next.leftCols(weights_.width) = output(l);
    next.col(weights_.width).setOnes();
  }
}

// The target's entry, its slope subtracted from the gradient by the tokens.
double StackPass::subtract_target(Index sequence, const StackGoal& goal, Rows* by_token) const {
  const Rows& tokens = traces_.front().input;
  const Index first = sequence * shape_.row;
  const Index own = first + shape_.row - 1;
  double target = 0;
  const auto add = [&](Index i, double share) {
    target += share * tokens(i, goal.coordinate);
    if (by_token != nullptr) (*by_token)(i, goal.coordinate) -= goal.sign * share;
  };
  if (weights_.residual) add(own, 1);
  if (shape_.row != shape_.trigger) return target;
  for (Index i = first + 1; i <= own; ++i) add(i, 1 / static_cast<double>(shape_.row - 1));
  return target;
}

std::vector<double> StackPass::losses(std::span<const StackGoal> goals, Rows* by_token) {
  const std::size_t depth = traces_.size();
  run_layers(depth);
  pool(depth - 1);
  const Rows out = output(depth - 1);
  if (by_token != nullptr) {
    Rows gradient = Rows::Zero(out.rows(), out.cols());
    for (Index b = 0; b < batch_; ++b) gradient(b, goals[b].coordinate) = goals[b].sign;
    for (std::size_t l = depth; l-- > 0;) {
      gradient = layer_backward(l, gradient).leftCols(weights_.width).eval();
    }
    *by_token = std::move(gradient);
  }
  std::vector<double> result;
  for (Index b = 0; b < batch_; ++b) {
    const double target = subtract_target(b, goals[b], by_token);
    result.push_back(goals[b].sign * (out(b, goals[b].coordinate) - target));
  }
  return result;
}

// log(a / (1 - a)) of the weight a of the slot: the sum of the others is what moves.
double StackPass::log_odds(const double* scores, Slot slot, double* slopes) const {
  const bool bos = slot == Slot::kBos;
  const bool null = weights_.kind().null_slot;
  double top = *std::max_element(scores, scores + shape_.row);
  if (null) top = std::max(top, 0.0);
  const double null_kernel = null ? std::exp(-top) : 0;
  double own = bos ? 0 : null_kernel;
  double others = bos ? null_kernel : 0;
  for (Index k = 0; k < shape_.row; ++k) {
    const KernelValue at = kernel(weights_.attention, scores[k], top);
    slopes[k] = at.slope;
    (bos && k == 0 ? own : others) += at.value;
  }
  own = std::max(own, kTiny);
  others = std::max(others, kTiny);
  for (Index k = 0; k < shape_.row; ++k) slopes[k] /= bos && k == 0 ? own : -others;
  return std::log(own / others);
}

std::vector<double> StackPass::scores(std::span<const StackGoal> goals, Rows* by_token) {
  const std::size_t layer = goals.front().layer;
  run_layers(layer + 1);
  const Trace& trace = traces_[layer];
  std::vector<Rows> by_score(trace.heads.size(), Rows::Zero(batch_, shape_.row));
  std::vector<double> result;
  for (Index b = 0; b < batch_; ++b) {
    const StackGoal& goal = goals[b];
    const double* row = trace.heads[goal.head].weights.row(b).data();
    auto slopes = by_score[goal.head].row(b);
    if (goal.kind == StackGoal::Kind::kLogit) {
      slopes(goal.key) = 1;
      result.push_back(goal.sign * row[goal.key]);
    } else {
      result.push_back(goal.sign * log_odds(row, goal.slot, slopes.data()));
    }
    slopes *= goal.sign;
  }
  if (by_token == nullptr) return result;
  Rows gradient = Rows::Zero(trace.input.rows(), trace.input.cols());
  for (std::size_t h = 0; h < trace.heads.size(); ++h) {
    scores_backward(layer, h, by_score[h], gradient);
  }
  for (std::size_t l = layer; l-- > 0;) {
    gradient = layer_backward(l, gradient.leftCols(weights_.width));
  }
  *by_token = std::move(gradient);
  return result;
}

Rows StackPass::layer_backward(std::size_t layer, const Rows& by_output) const {
  const Trace& trace = traces_[layer];
  Rows by_input = Rows::Zero(trace.input.rows(), trace.input.cols());
  if (weights_.residual) {
    add_to_computed(trace, by_output, by_input);
  }
  for (std::size_t h = 0; h < trace.heads.size(); ++h) head_backward(layer, h, by_output, by_input);
  return by_input;
}

void StackPass::head_backward(std::size_t layer, std::size_t h, const Rows& by_output,
                              Rows& by_input) const {
  const Trace& trace = traces_[layer];
  const HeadTrace& head = trace.heads[h];
  const StackWeights::Head& weights = weights_.layers[layer].heads[h];
  const Index r = trace.rows;
  const Index t = shape_.row;
  Rows by_pooled = by_output * weights.value;
  if (weights_.kind().gated) {
    const Eigen::ArrayXd by_gate =
        (by_pooled.array() * head.pooled.array()).rowwise().sum() * head.open * (1 - head.open);
    add_to_computed(trace, by_gate.matrix() * weights.gate.transpose(), by_input);
    by_pooled = (head.open.matrix().asDiagonal() * by_pooled).eval();
  }
  Rows by_score(batch_ * r, t);
  for (Index b = 0; b < batch_; ++b) {
    const auto part = by_pooled.middleRows(b * r, r);
    by_score.middleRows(b * r, r).noalias() = part * trace.input.middleRows(b * t, t).transpose();
    by_input.middleRows(b * t, t).noalias() += head.weights.middleRows(b * r, r).transpose() * part;
  }
  if (weights_.kind().normalised) {
    const Eigen::VectorXd mean = (by_score.array() * head.weights.array()).rowwise().sum().matrix();
    by_score.colwise() -= mean;
  }
  by_score.array() *= head.slopes.array();
  scores_backward(layer, h, by_score, by_input);
}

void StackPass::scores_backward(std::size_t layer, std::size_t h, const Rows& by_score,
                                Rows& by_input) const {
  const Trace& trace = traces_[layer];
  const Index r = trace.rows;
  const Index t = shape_.row;
  Rows by_query(batch_ * r, trace.input.cols());
  for (Index b = 0; b < batch_; ++b) {
    const auto part = by_score.middleRows(b * r, r);
    by_query.middleRows(b * r, r).noalias() = part * trace.input.middleRows(b * t, t);
    by_input.middleRows(b * t, t).noalias() +=
        part.transpose() * trace.heads[h].queries.middleRows(b * r, r);
  }
  add_to_computed(trace, by_query * weights_.layers[layer].heads[h].logit.transpose(), by_input);
}

// Adds to those rows of the inputs' gradient that belong to the computed rows.
void StackPass::add_to_computed(const Trace& trace, const Rows& gradient, Rows& by_input) const {
  const Index step = shape_.row - trace.rows + 1;
  for (Index i = 0; i < gradient.rows(); ++i) {
    by_input.row((i + 1) * step - 1).head(gradient.cols()) += gradient.row(i);
  }
}

std::vector<double> StackPass::values(const Rows& noise, std::span<const StackGoal> goals,
                                      Rows* gradient) {
  batch_ = noise.rows();
  fill_tokens(noise);
  Rows by_token;
  Rows* wanted = gradient == nullptr ? nullptr : &by_token;
  const bool loss = goals.front().kind == StackGoal::Kind::kLoss;
  std::vector<double> result = loss ? losses(goals, wanted) : scores(goals, wanted);
  for (double& value : result) {
    if (std::isnan(value)) value = -HUGE_VAL;
  }
  if (gradient == nullptr) return result;
  const Index d = weights_.noise();
  gradient->resize(noise.rows(), noise.cols());
  for (Index b = 0; b < batch_; ++b) {
    for (Index k = 1; k < shape_.row; ++k) {
      gradient->row(b).segment((k - 1) * d, d) =
          by_token.row(b * shape_.row + k).segment(kFirstNoise, d).cwiseProduct(weights_.radius);
    }
  }
  return result;
}

}  // namespace sinkproof::certify
