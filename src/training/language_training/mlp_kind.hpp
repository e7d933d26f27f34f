// The kinds of feed-forward layer of a small language model, as a table: out(act(in x)), or with
// `gated` out(act(gate x) * in x).
#pragma once

#include <array>
#include <string_view>

namespace sinkproof::language_training {

// GELU in its tanh form; max(x, 0); x / (1 + e^-x).
enum class Activation { kGelu, kRelu, kSilu };

struct MlpKind {
  std::string_view name;
  Activation activation = Activation::kGelu;
  bool gated = false;
};

inline constexpr std::array<MlpKind, 6> kMlpKinds = {{
    {"gelu"},
    {"relu", Activation::kRelu},
    {"silu", Activation::kSilu},
    {"swiglu", Activation::kSilu, true},  // arXiv:2002.05202, as the next two
    {"geglu", Activation::kGelu, true},
    {"reglu", Activation::kRelu, true},
}};

}  // namespace sinkproof::language_training
