// One attention head as the two matrices its rows depend on. CHECKPOINT_RULES.md section 4.2;
// layer.hpp reads it from the model file.
#pragma once

#include <cstddef>

#include "exact/matrix.hpp"

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

}  // namespace sinkproof::check
