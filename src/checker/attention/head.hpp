// One attention head as the two matrices its rows depend on, and the sides of its outputs.
// CHECKPOINT_RULES.md, 4.2 and 4.3.
#pragma once

#include <cstddef>
#include <string>

#include "attention/coupling.hpp"
#include "certificate/checkpoint.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::check {

using certificate::kBosFlag;
using certificate::kNoise;
using certificate::kTriggerFlag;
using certificate::Rows;

struct Head {
  std::size_t width = 0;        // n
  std::size_t noise = 0;        // d = n - 3
  std::size_t length = 0;       // L
  exact::RationalMatrix logit;  // M, times the scale
  exact::RationalMatrix value;  // V
  exact::RationalMatrix token;  // X: unit tokens to tokens
  Coupling coupling;            // of the noise part of M

  [[nodiscard]] std::size_t content_flag() const { return width - 1; }
  [[nodiscard]] bool is_noise(std::size_t r) const { return r >= 2 && r < width - 1; }
};

// A coordinate of the output and the side of it that is bounded.
struct Side {
  std::size_t r;
  int s;

  [[nodiscard]] std::string text() const {
    return "coordinate " + std::to_string(r) + ", sign " + std::to_string(s);
  }
  // Its place in lists "for each side".
  [[nodiscard]] std::size_t index() const { return 2 * r + (s > 0 ? 0 : 1); }
};

template <typename Visit>
void for_each_side(std::size_t width, const Visit& visit) {
  for (std::size_t r = 0; r < width; ++r) {
    for (const int s : {1, -1}) visit(Side{r, s});
  }
}

// s * X[r][column]
inline exact::Rational token_value(const Head& head, const Side& side, std::size_t column) {
  return side.s * head.token(side.r, column);
}

// s * V[r][flag], and s * V[r][noise l].
inline exact::Rational flag_value(const Head& head, const Side& side, std::size_t flag) {
  return side.s * head.value(side.r, flag);
}
inline exact::Rational noise_value(const Head& head, const Side& side, std::size_t l) {
  return side.s * head.value(side.r, kNoise + l);
}

}  // namespace sinkproof::check
