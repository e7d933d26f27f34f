// Whole numbers as somebody types them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sinkproof::text {

// The number that these digits, and nothing else, spell; none where it is over `most`.
inline std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) return {};
  return number;
}

}  // namespace sinkproof::text
