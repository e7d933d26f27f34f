// What the map of variants (docs/THEORY.md, tc-8) says of a trained checkpoint: the proved sides
// only, of the loss and of the attention on BOS before the trigger.
#pragma once

#include <optional>
#include <string>

#include "exact/rational.hpp"
#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {

// Absent where the certificate does not have the property.
struct TrainedBounds {
  std::optional<exact::Rational> loss;     // every error is at most this
  std::optional<exact::Rational> floor;    // rows 2 <= i < trigger, every head: at least this
  std::optional<exact::Rational> ceiling;  // and at most this
  std::optional<exact::Rational> null_floor;
  std::optional<exact::Rational> null_ceiling;
};

TrainedBounds trained_bounds(const Checkpoint& checkpoint);

// "in [0.1, 0.25]", ">= 0.9", "<= 0.01" with `digits` significant digits, rounded outward; "" when
// neither side is known. `at_least` and `at_most` are what stands for >= and <=.
std::string range_text(const std::optional<exact::Rational>& floor,
                       const std::optional<exact::Rational>& ceiling, unsigned digits,
                       const std::string& at_least = ">=", const std::string& at_most = "<=");

}  // namespace sinkproof::report
