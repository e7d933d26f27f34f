#include "language_training/slot_value.hpp"

#include <fmt/format.h>

#include <charconv>

#include "language_training/named.hpp"

namespace sinkproof::language_training {

std::optional<SlotValue> parse_slot_value(std::string_view text) {
  if (text == "0") return SlotValue{};
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const SlotDirection* const direction = find_named(kSlotDirections, text.substr(0, dash));
  const std::string_view number = text.substr(dash + 1);
  double norm = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), norm);
  if (direction == nullptr || error != std::errc() || end != number.data() + number.size() ||
      !(norm >= 0 && norm <= kMostSlotNorm)) {
    return std::nullopt;
  }
  if (norm == 0) return SlotValue{};
  return SlotValue{*direction, norm};
}

std::string text_of(const SlotValue& value) {
  return value.norm == 0 ? "0" : fmt::format("{}-{}", value.direction.name, value.norm);
}

}  // namespace sinkproof::language_training
