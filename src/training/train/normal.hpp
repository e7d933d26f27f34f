// Standard normal numbers of random words, by Box and Muller.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace sinkproof::train {

// Two independent ones from two words.
inline std::pair<double, double> box_muller(std::uint32_t a, std::uint32_t b) {
  const double radius = std::sqrt(-2.0 * std::log((a + 0.5) * 0x1p-32));
  const double angle = 2.0 * std::numbers::pi * (b + 0.5) * 0x1p-32;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace sinkproof::train
