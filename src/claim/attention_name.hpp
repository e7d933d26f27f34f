// The kinds of attention a claim.toml may name (src/certificate/LAYER_RULES.md, 5.1). This folder
// must not see model/, where they mean something; a test compares the two lists.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sinkproof::claim {

inline constexpr std::array<std::string_view, 9> kAttentionNames = {
    "softmax",         "softmax-gated", "sigmoid-normalised",
    "elu1-normalised", "softmax-null",  "relu",
    "sigmoid",         "elu1",          "linear"};

inline bool is_attention_name(std::string_view name) {
  return std::count(kAttentionNames.begin(), kAttentionNames.end(), name) > 0;
}

}  // namespace sinkproof::claim
