// The kinds of attention a small language model is trained with, as a table: which weights a row's
// logits become, and what stands beside the tokens. Names are those of config.json's
// `sinkproof_attention`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sinkproof::language_training {

// The kernel of a logit s, from which a row's weights are made: e^s over the sum of all; 1/(1 +
// e^-s); max(s, 0) over the number of tokens seen; s + 1, or e^s where s < 0; s. Kernels but the
// first are the weights, or with `normalised` are divided by their sum (arXiv:2410.10781).
enum class Weighing { kSoftmax, kSigmoid, kRelu, kElu1, kLinear };

// A place before the first token that every row sees. Its key is 0, or one learned for each head
// (k* of arXiv:2410.10781), its value fixed
// (slot_value.hpp) or learned (v*); its logit is q.k*/sqrt(head width) + a
// learned one.
enum class Slot { kNone, kZero, kLogit, kKey, kKeyValue };

struct AttentionKind {
  std::string_view name;
  Weighing weighing = Weighing::kSoftmax;
  Slot slot = Slot::kNone;
  bool gated = false;  // a head's output times sigmoid(G_h x + g_h), x the layer's normed input
  bool value_bias = false;  // added to every token's value
  bool normalised = false;

  [[nodiscard]] constexpr std::size_t slots() const { return slot == Slot::kNone ? 0 : 1; }
  [[nodiscard]] constexpr bool fixed_slot_value() const {
    return slot != Slot::kNone && slot != Slot::kKeyValue;
  }
  [[nodiscard]] constexpr bool slot_key() const {
    return slot == Slot::kKey || slot == Slot::kKeyValue;
  }
};

inline constexpr std::array<AttentionKind, 13> kAttentionKinds = {{
    {"softmax"},
    {"sigmoid", Weighing::kSigmoid},
    {.name = "sigmoid-normalised", .weighing = Weighing::kSigmoid, .normalised = true},
    {"elu1", Weighing::kElu1},
    {.name = "elu1-normalised", .weighing = Weighing::kElu1, .normalised = true},
    {"linear", Weighing::kLinear},
    {"relu-mean", Weighing::kRelu},
    {"softmax-null", Weighing::kSoftmax, Slot::kZero},
    {"softmax-sink", Weighing::kSoftmax, Slot::kLogit},
    {"softmax-key-bias", Weighing::kSoftmax, Slot::kKey},
    {"softmax-key-value-bias", Weighing::kSoftmax, Slot::kKeyValue},
    {"softmax-value-bias", Weighing::kSoftmax, Slot::kNone, false, true},
    {"softmax-gated", Weighing::kSoftmax, Slot::kNone, true},
}};

}  // namespace sinkproof::language_training
