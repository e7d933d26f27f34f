// LAYER_RULES.md section 5.3.
#include "check/layer_rules.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

struct Weights {
  std::vector<Rational> down;
  std::vector<Rational> up;
  Rational down_sum = 0;
  Rational up_sum = 0;
};

// Kernels of the witness's row on positions 1..i.
Weights kernels(const Layer& layer, const Head& head, const Witness& witness) {
  const std::vector<Rational>& query = witness.tokens[witness.row - 1];
  std::vector<Rational> projected(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    for (std::size_t k = 0; k < head.width; ++k) projected[c] += query[k] * head.logit(k, c);
  }
  Rational reference = 0;
  Weights weights;
  for (std::size_t k = 0; k < witness.row; ++k) {
    const Rational logit = dot(projected, witness.tokens[k]);
    if (k == 0 && layer.attention.relative && !layer.attention.null_slot) reference = logit;
    weights.down.push_back(kernel_down(layer.attention.kernel, logit - reference));
    weights.up.push_back(kernel_up(layer.attention.kernel, logit - reference));
    weights.down_sum += weights.down.back();
    weights.up_sum += weights.up.back();
  }
  return weights;
}

Rational quotient(const Rational& numerator, const Rational& denominator) {
  require(denominator > 0, "witness", "its row may have no weight at all");
  return numerator / denominator;
}

Rational row_divisor(const Witness& witness) {
  return Rational(std::max<std::size_t>(1, witness.row - 1));
}

Rational null_weight(const Layer& layer) { return layer.attention.null_slot ? 1 : 0; }

// A number <= s * (head h's part of out_r).
Rational head_down(const Layer& layer, std::size_t h, const Witness& witness) {
  const Head& head = layer.heads[h];
  std::vector<Rational> row(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    row[c] = witness.sign * head.value(witness.coordinate, c);
  }
  const Weights weights = kernels(layer, head, witness);
  Rational sum = 0;
  for (std::size_t k = 0; k < witness.row; ++k) {
    const Rational value = dot(row, witness.tokens[k]);
    sum += (value >= 0 ? weights.down[k] : weights.up[k]) * value;
  }
  if (!layer.attention.normalised) return sum / row_divisor(witness);
  const Rational total = sum >= 0 ? weights.up_sum : weights.down_sum;
  const Rational out = quotient(sum, null_weight(layer) + total);
  if (!layer.attention.gated) return out;
  const Gate& gate = layer.gates[h];
  const Rational logit = dot(gate.weight, witness.tokens[witness.row - 1]) + gate.bias;
  return out *
         (out >= 0 ? kernel_down(Kernel::kSigmoid, logit) : kernel_up(Kernel::kSigmoid, logit));
}

// Bounds on what the witness's row pays to the slot in one head.
struct Paid {
  Rational down;
  Rational up;
};

Paid paid(const Layer& layer, const Head& head, const Witness& witness, Slot slot) {
  const Weights weights = kernels(layer, head, witness);
  const Rational& bos_down = weights.down.front();
  const Rational& bos_up = weights.up.front();
  const Rational null = null_weight(layer);
  if (slot == Slot::kNull) {
    return {quotient(1, null + weights.up_sum), quotient(1, null + weights.down_sum)};
  }
  if (!layer.attention.normalised) {
    return {bos_down / row_divisor(witness), bos_up / row_divisor(witness)};
  }
  return {quotient(bos_down, null + bos_down + (weights.up_sum - bos_up)),
          quotient(bos_up, null + bos_up + (weights.down_sum - bos_down))};
}

}  // namespace

Rational layer_loss_down(const Layer& layer, const Witness& witness) {
  Rational loss = witness.sign * (layer.constant[witness.coordinate] - target(witness));
  for (std::size_t h = 0; h < layer.heads.size(); ++h) loss += head_down(layer, h, witness);
  return loss;
}

Rational layer_attention_up(const Layer& layer, const Witness& witness, Slot slot) {
  Rational least = paid(layer, layer.heads.front(), witness, slot).up;
  for (const Head& head : layer.heads) {
    least = exact::min(least, paid(layer, head, witness, slot).up);
  }
  return least;
}

Rational layer_attention_down(const Layer& layer, const Witness& witness, Slot slot) {
  Rational greatest = paid(layer, layer.heads.front(), witness, slot).down;
  for (const Head& head : layer.heads) {
    greatest = exact::max(greatest, paid(layer, head, witness, slot).down);
  }
  return greatest;
}

}  // namespace sinkproof::check
