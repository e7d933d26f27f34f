// The kinds of attention a small language model is trained with, as a table: which weights a row's
// logits become, and what stands beside the tokens. Names are those of config.json's
// `sinkproof_attention`, where the checker knows the kind.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sinkproof::language_training {

// What a head's queries and keys become, after they are turned, before they meet: themselves;
// x + 1, or e^x where x < 0, of each coordinate; or relu(x A) B with matrices [head width][head
// width] of the layer, the same for queries, keys and heads (arXiv:2410.10781's kernels).
enum class Features { kNone, kElu1, kMlp };

// The kernel of a logit s, from which a row's weights are made: e^s over the sum of all; 1/(1 +
// e^-s); max(s, 0) over the number of tokens seen; s + 1, or e^s where s < 0; s.
enum class Weighing { kSoftmax, kSigmoid, kRelu, kElu1, kLinear };

// What the row's kernels, but softmax's, are divided by: 1; their sum; the size of their sum, but
// at least 1 (arXiv:2410.10781, for kernels that may be negative).
enum class Divisor { kOne, kSum, kSize };

// A place before the first token that every row sees. Its key is 0, or one learned (k* of
// arXiv:2410.10781), its value fixed (slot_value.hpp) or learned (v*), each by every head or once
// for all heads of a layer; its logit is q.k*/sqrt(head width) + a learned one.
enum class Slot { kNone, kZero, kLogit, kKey, kKeyValue };

struct AttentionKind {
  std::string_view name;
  Weighing weighing = Weighing::kSoftmax;
  Slot slot = Slot::kNone;
  bool gated = false;  // a head's output times sigmoid(G_h x + g_h), x the layer's normed input
  bool value_bias = false;  // added to every token's value
  Divisor divisor = Divisor::kOne;
  Features features = Features::kNone;
  bool shared_slot = false;  // what the slot learns is the same in all heads of a layer

  [[nodiscard]] constexpr std::size_t slots() const { return slot == Slot::kNone ? 0 : 1; }
  [[nodiscard]] constexpr bool fixed_slot_value() const {
    return slot != Slot::kNone && slot != Slot::kKeyValue;
  }
  [[nodiscard]] constexpr bool slot_key() const {
    return slot == Slot::kKey || slot == Slot::kKeyValue;
  }
};

inline constexpr std::array<AttentionKind, 20> kAttentionKinds = {{
    {"softmax"},
    {"sigmoid", Weighing::kSigmoid},
    {.name = "sigmoid-normalised", .weighing = Weighing::kSigmoid, .divisor = Divisor::kSum},
    {"elu1", Weighing::kElu1},
    {.name = "elu1-normalised", .weighing = Weighing::kElu1, .divisor = Divisor::kSum},
    {"linear", Weighing::kLinear},
    {.name = "linear-normalised", .weighing = Weighing::kLinear, .divisor = Divisor::kSize},
    {.name = "elu1-kernel", .weighing = Weighing::kLinear, .features = Features::kElu1},
    {.name = "elu1-kernel-normalised",
     .weighing = Weighing::kLinear,
     .divisor = Divisor::kSum,
     .features = Features::kElu1},
    {.name = "mlp-kernel", .weighing = Weighing::kLinear, .features = Features::kMlp},
    {.name = "mlp-kernel-normalised",
     .weighing = Weighing::kLinear,
     .divisor = Divisor::kSize,
     .features = Features::kMlp},
    {"relu-mean", Weighing::kRelu},
    {"softmax-null", Weighing::kSoftmax, Slot::kZero},
    {"softmax-sink", Weighing::kSoftmax, Slot::kLogit},
    {"softmax-key-bias", Weighing::kSoftmax, Slot::kKey},
    {"softmax-key-value-bias", Weighing::kSoftmax, Slot::kKeyValue},
    {.name = "softmax-shared-key-bias", .slot = Slot::kKey, .shared_slot = true},
    {.name = "softmax-shared-key-value-bias", .slot = Slot::kKeyValue, .shared_slot = true},
    {"softmax-value-bias", Weighing::kSoftmax, Slot::kNone, false, true},
    {"softmax-gated", Weighing::kSoftmax, Slot::kNone, true},
}};

}  // namespace sinkproof::language_training
