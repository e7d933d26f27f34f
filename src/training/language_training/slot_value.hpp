// The fixed value of a slot that does not learn one, in every head: a direction of length 1 times a
// norm. The directions are v' and v'' of Table 5 of arXiv:2410.10781. Written "0" or
// "DIRECTION-NORM", for example "even-5".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sinkproof::language_training {

struct SlotDirection {
  std::string_view name;
  bool even = false;  // all coordinates are the same; otherwise all but the first are 0
};

inline constexpr std::array<SlotDirection, 2> kSlotDirections = {{{"first"}, {"even", true}}};

inline constexpr double kMostSlotNorm = 1e6;

struct SlotValue {
  SlotDirection direction = kSlotDirections[0];
  double norm = 0;  // 0..kMostSlotNorm
};

// Nothing if the text is not of this form.
std::optional<SlotValue> parse_slot_value(std::string_view text);
std::string text_of(const SlotValue& value);

}  // namespace sinkproof::language_training
