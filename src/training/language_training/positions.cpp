#include "language_training/positions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinkproof::language_training {

std::size_t bucket_of(std::size_t distance) {
  constexpr std::size_t kExact = kBuckets / 2;
  constexpr double kFarthest = 128;
  if (distance < kExact) return distance;
  const double share = std::log(static_cast<double>(distance) / kExact) /
                       std::log(kFarthest / kExact) * static_cast<double>(kBuckets - kExact);
  return std::min(kExact + static_cast<std::size_t>(share), kBuckets - 1);
}

double alibi_slope(std::size_t head, std::size_t heads) {
  const std::size_t power = std::bit_floor(heads);
  const auto of = [](std::size_t which, std::size_t all) {
    return std::exp2(-8.0 * static_cast<double>(which) / static_cast<double>(all));
  };
  // Beyond the power the odd slopes of twice as many heads.
  return head < power ? of(head + 1, power) : of(2 * (head - power) + 1, 2 * power);
}

}  // namespace sinkproof::language_training
