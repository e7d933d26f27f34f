#include "text/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace sinkproof::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: no UTF-8 here
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return 2;
  if (lead >= 0xE0U && lead <= 0xEFU) return 3;
  if (lead >= 0xF0U && lead <= 0xF4U) return 4;
  return 0;
}

// The code point at the start of `text`, which is not empty.
CodePoint decode(std::string_view text) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80U, 0x800U, 0x10000U};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || length > text.size()) return {};
  std::uint32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = value >= 0xD800U && value <= 0xDFFFU;
  if (value < kLeast[length] || value > 0x10FFFFU || surrogate) return {};
  return {value, length};
}

// Characters HTML or XML forbids, and those that would let a name be read in another order than it
// has.
bool unwanted(std::uint32_t c) {
  if (c == '\n' || c == '\t') return false;
  const bool control = c < 0x20U || (c >= 0x7FU && c <= 0x9FU);
  const bool direction = (c >= 0x202AU && c <= 0x202EU) || (c >= 0x2066U && c <= 0x2069U);
  const bool noncharacter = (c >= 0xFDD0U && c <= 0xFDEFU) || (c & 0xFFFEU) == 0xFFFEU;
  return control || direction || noncharacter;
}

// A byte 10xxxxxx, which continues a character.
bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = decode(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    safe += next.bytes == 0 || unwanted(next.value) ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && continues(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line = printable(text);
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return shortened(line, most);
}

}  // namespace sinkproof::text
