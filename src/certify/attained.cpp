#include "certify/attained.hpp"

#include <algorithm>

namespace sinkproof::certify {
namespace {

using exact::Interval;
using exact::Rational;

constexpr unsigned kPrecision = 192;

// The checker encloses exp to 96 bits (CHECKPOINT_RULES.md section 4.3), so what it computes for a
// softmax row may miss the true value by a few units of 2^-96, even where the true value is a short
// decimal (row 1, equal logits). An attained bound keeps this much clear of it.
Rational checker_slack() { return exact::power_of_two(-80); }

Rational dot(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  Rational sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Attention weights of the witness's row over positions 1..row.
std::vector<Interval> weights(const Head& head, model::Attention attention,
                              const Witness& witness) {
  const std::vector<Rational>& query = witness.tokens[witness.row - 1];
  std::vector<Rational> projected(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    for (std::size_t k = 0; k < head.width; ++k) projected[c] += query[k] * head.logit(k, c);
  }
  std::vector<Interval> result;
  const Rational divisor(std::max<std::size_t>(1, witness.row - 1));
  for (std::size_t i = 0; i < witness.row; ++i) {
    const Rational score = dot(projected, witness.tokens[i]);
    const bool relu = attention == model::Attention::kRelu;
    result.emplace_back(relu ? exact::max(0, score) / divisor : score, kPrecision);
  }
  return attention == model::Attention::kSoftmax ? exact::softmax(result) : result;
}

}  // namespace

Interval attained_loss(const Head& head, model::Attention attention, const Witness& witness) {
  const std::vector<Interval> attention_weights = weights(head, attention, witness);
  std::vector<Rational> value_row(head.width);
  for (std::size_t c = 0; c < head.width; ++c) value_row[c] = head.value(witness.coordinate, c);
  Interval out(0, kPrecision);
  Rational largest = 0;
  for (std::size_t i = 0; i < witness.row; ++i) {
    const Rational value = dot(value_row, witness.tokens[i]);
    largest = exact::max(largest, exact::abs(value));
    out = out + attention_weights[i] * Interval(value, kPrecision);
  }
  Rational target = 0;
  if (witness.row == witness.trigger) {
    for (std::size_t i = 1; i < witness.row; ++i) target += witness.tokens[i][witness.coordinate];
    target /= Rational(witness.row - 1);
  }
  const Interval difference = out - Interval(target, kPrecision);
  Interval loss = witness.sign > 0 ? difference : -difference;
  if (attention == model::Attention::kRelu) return loss;
  const Rational slack = checker_slack() * (largest + exact::abs(target));
  return loss + Interval(-slack, slack, kPrecision);
}

Interval attained_bos_attention(const Head& head, model::Attention attention,
                                const Witness& witness) {
  Interval weight = weights(head, attention, witness).front();
  if (attention == model::Attention::kRelu) return weight;
  const Rational lower = weight.lower() * (1 - checker_slack());
  const Rational upper = exact::min(1, weight.upper() * (1 + checker_slack()));
  return Interval(lower, upper, kPrecision);
}

}  // namespace sinkproof::certify
