#include "certify/attained.hpp"

#include <algorithm>

#include "certify/kernel.hpp"

namespace sinkproof::certify {
namespace {

using exact::Interval;
using exact::Rational;

constexpr unsigned kPrecision = 192;

// The checker encloses exp to 96 bits (CHECKPOINT_RULES.md section 4.3), so what it computes may
// miss the true value by a few units of 2^-96, even where the true value is a short decimal (row 1,
// equal logits). An attained bound keeps this much clear of it.
Rational checker_slack() { return exact::power_of_two(-80); }

Rational largest_logit() { return exact::kMaxExpArgument; }

bool uses_exp(const Layer& layer) {
  return layer.attention != model::Attention::kRelu && layer.attention != model::Attention::kLinear;
}

Rational dot(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  Rational sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The logits of the witness's row in one head, less BOS's where only ratios count.
std::vector<Rational> logits_of(const Layer& layer, const Head& head, const Witness& witness) {
  const std::vector<Rational>& query = witness.tokens[witness.row - 1];
  std::vector<Rational> projected(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    for (std::size_t k = 0; k < head.width; ++k) projected[c] += query[k] * head.logit(k, c);
  }
  std::vector<Rational> logits;
  for (std::size_t i = 0; i < witness.row; ++i) {
    logits.push_back(dot(projected, witness.tokens[i]));
  }
  const Rational reference = layer.has_only_ratios() ? logits.front() : Rational(0);
  for (Rational& logit : logits) logit -= reference;
  return logits;
}

// Attention weights of the witness's row in one head: the null slot's if there is one, then those
// of positions 1..row.
std::vector<Interval> weights(const Layer& layer, const std::vector<Rational>& logits,
                              const Witness& witness) {
  std::vector<Interval> result;
  if (layer.has_null_slot()) result.emplace_back(1, kPrecision);
  for (const Rational& logit : logits) {
    const bool has_end = layer.is_relative();
    const Rational within = has_end ? exact::min(logit, largest_logit()) : logit;
    result.push_back(kernel_enclosure(layer.attention, within, kPrecision));
  }
  Interval total(Rational(std::max<std::size_t>(1, witness.row - 1)), kPrecision);
  if (model::is_normalised(layer.attention)) {
    total = Interval(0, kPrecision);
    for (const Interval& weight : result) total = total + weight;
  }
  for (Interval& weight : result) weight = weight / total;
  return result;
}

Interval gate_at(const Layer& layer, std::size_t h, const Witness& witness) {
  if (!layer.is_gated()) return Interval(1, kPrecision);
  const Gate& gate = layer.gates[h];
  return logistic_enclosure(dot(gate.weight, witness.tokens[witness.row - 1]) + gate.bias,
                            kPrecision);
}

}  // namespace

std::optional<Interval> attained_loss(const Layer& layer, const Witness& witness) {
  Rational target = 0;
  if (witness.row == witness.trigger) {
    for (std::size_t i = 1; i < witness.row; ++i) target += witness.tokens[i][witness.coordinate];
    target /= Rational(witness.row - 1);
  }
  Interval out(layer.constant[witness.coordinate] - target, kPrecision);
  Rational size = exact::abs(target);
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Head& head = layer.heads[h];
    const std::vector<Rational> logits = logits_of(layer, head, witness);
    if (layer.is_relative() && *std::max_element(logits.begin(), logits.end()) > largest_logit()) {
      return std::nullopt;
    }
    const std::vector<Interval> attention = weights(layer, logits, witness);
    const std::size_t first = layer.has_null_slot() ? 1 : 0;
    std::vector<Rational> value_row(head.width);
    for (std::size_t c = 0; c < head.width; ++c) value_row[c] = head.value(witness.coordinate, c);
    Interval head_out(0, kPrecision);
    Rational largest = 0;
    for (std::size_t i = 0; i < witness.row; ++i) {
      const Rational value = dot(value_row, witness.tokens[i]);
      const Interval term = attention[first + i] * Interval(value, kPrecision);
      largest += exact::max(exact::abs(term.lower()), exact::abs(term.upper()));
      head_out = head_out + term;
    }
    out = out + gate_at(layer, h, witness) * head_out;
    size += largest;
  }
  const Interval loss = witness.sign > 0 ? out : -out;
  if (!uses_exp(layer)) return loss;
  const Rational slack = checker_slack() * size;
  return loss + Interval(-slack, slack, kPrecision);
}

Interval attained_attention(const Layer& layer, const Witness& witness, Slot slot,
                            std::size_t head) {
  const std::vector<Interval> attention =
      weights(layer, logits_of(layer, layer.heads[head], witness), witness);
  const std::size_t at = slot == Slot::kBos && layer.has_null_slot() ? 1 : 0;
  const Interval& weight = attention[at];
  if (!uses_exp(layer)) return weight;
  const Rational lower = weight.lower() * (1 - checker_slack());
  const Rational upper = weight.upper() * (1 + checker_slack());
  return Interval(lower, model::is_normalised(layer.attention) ? exact::min(1, upper) : upper,
                  kPrecision);
}

}  // namespace sinkproof::certify
