#include "text/printable.hpp"

#include <algorithm>
#include <cstdint>

#include "json/visible.hpp"

namespace sinkproof::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Characters HTML or XML forbids, and those that hide or let a name be read in another order than
// it has.
bool unwanted(std::uint32_t c) {
  if (c == '\n' || c == '\t') return false;
  const bool noncharacter = (c >= 0xFDD0U && c <= 0xFDEFU) || (c & 0xFFFEU) == 0xFFFEU;
  return json::is_hidden(c) || noncharacter;
}

// A byte 10xxxxxx, which continues a character.
bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const json::CodePoint next = json::first_code_point(text);
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
