// The kinds of attention a small language model is trained with, as a table: which weights a row's
// logits become, and what stands beside the tokens. Names are those of config.json's
// `sinkproof_attention`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sinkproof::language_training {

// A row's weights from its logits s: e^s over the sum of all; 1/(1 + e^-s), nothing divided (as in
// arXiv:2410.10781); max(s, 0) over the number of tokens seen.
enum class Weighing { kSoftmax, kSigmoid, kRelu };

// A place before the first token that every row sees. Its key is 0, or one learned for each head
// (k* of arXiv:2410.10781), its value 0 or learned (v*); its logit is q.k*/sqrt(head width) + a
// learned one.
enum class Slot { kNone, kZero, kLogit, kKey, kKeyValue };

struct AttentionKind {
  std::string_view name;
  Weighing weighing = Weighing::kSoftmax;
  Slot slot = Slot::kNone;
  bool gated = false;  // a head's output times sigmoid(G_h x + g_h), x the layer's normed input
  bool value_bias = false;  // added to every token's value

  [[nodiscard]] constexpr std::size_t slots() const { return slot == Slot::kNone ? 0 : 1; }
  [[nodiscard]] constexpr bool slot_key() const {
    return slot == Slot::kKey || slot == Slot::kKeyValue;
  }
};

inline constexpr std::array<AttentionKind, 9> kAttentionKinds = {{
    {"softmax"},
    {"sigmoid", Weighing::kSigmoid},
    {"relu-mean", Weighing::kRelu},
    {"softmax-null", Weighing::kSoftmax, Slot::kZero},
    {"softmax-sink", Weighing::kSoftmax, Slot::kLogit},
    {"softmax-key-bias", Weighing::kSoftmax, Slot::kKey},
    {"softmax-key-value-bias", Weighing::kSoftmax, Slot::kKeyValue},
    {"softmax-value-bias", Weighing::kSoftmax, Slot::kNone, false, true},
    {"softmax-gated", Weighing::kSoftmax, Slot::kNone, true},
}};

}  // namespace sinkproof::language_training
