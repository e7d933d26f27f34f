#include "certify/attained.hpp"

#include <algorithm>

namespace sinkproof::certify {
namespace {

using exact::Interval;
using exact::Rational;

constexpr unsigned kPrecision = 192;

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
  for (std::size_t i = 0; i < witness.row; ++i) {
    out = out + attention_weights[i] * Interval(dot(value_row, witness.tokens[i]), kPrecision);
  }
  Rational target = 0;
  if (witness.row == witness.trigger) {
    for (std::size_t i = 1; i < witness.row; ++i) target += witness.tokens[i][witness.coordinate];
    target /= Rational(witness.row - 1);
  }
  const Interval difference = out - Interval(target, kPrecision);
  return witness.sign > 0 ? difference : -difference;
}

Interval attained_bos_attention(const Head& head, model::Attention attention,
                                const Witness& witness) {
  return weights(head, attention, witness).front();
}

}  // namespace sinkproof::certify
