// The attention head a checkpoint certificate speaks of, read from the model file by the checker
// itself. CHECKPOINT_RULES.md sections 4.1 and 4.2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "exact/matrix.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Head {
  bool softmax = true;
  std::size_t width = 0;        // n
  std::size_t noise = 0;        // d = n - 3
  std::size_t length = 0;       // L
  exact::RationalMatrix logit;  // M = W_Q^T W_K
  exact::RationalMatrix value;  // V = W_O W_V

  [[nodiscard]] std::size_t content_flag() const { return width - 1; }
  [[nodiscard]] bool is_noise(std::size_t r) const { return r >= 2 && r < width - 1; }
};

inline constexpr std::size_t kBosFlag = 0;
inline constexpr std::size_t kTriggerFlag = 1;
inline constexpr std::size_t kNoise = 2;  // first noise coordinate

// The SHA-256 the certificate's `model` object names. Throws Rejected.
std::string model_sha256(const json::Value& certificate);

// The head in `model_bytes` (whose SHA-256 is known to match) as the certificate describes it.
// Throws Rejected.
Head read_head(const json::Value& certificate, std::string_view model_bytes);

}  // namespace sinkproof::check
