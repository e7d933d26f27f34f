#include "report/html_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinkproof::report {
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

// Characters HTML forbids, and those that would let a name be read in another order than it has.
bool unwanted(std::uint32_t c) {
  if (c == '\n' || c == '\t') return false;
  const bool control = c < 0x20U || (c >= 0x7FU && c <= 0x9FU);
  const bool direction = (c >= 0x202AU && c <= 0x202EU) || (c >= 0x2066U && c <= 0x2069U);
  const bool noncharacter = (c >= 0xFDD0U && c <= 0xFDEFU) || (c & 0xFFFEU) == 0xFFFEU;
  return control || direction || noncharacter;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// A number's digits, or one letter that stands for them.
bool is_term(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.size() == 1 && letter(text[0])) return true;
  return !text.empty() && std::all_of(text.begin(), text.end(), digit);
}

bool is_quotient(std::string_view word) {
  if (!word.empty() && word.front() == '-') word.remove_prefix(1);
  const std::size_t slash = word.find('/');
  return slash != std::string_view::npos && is_term(word.substr(0, slash)) &&
         is_term(word.substr(slash + 1));
}

std::string_view last_component(std::string_view word) {
  while (!word.empty() && word.back() == '/') word.remove_suffix(1);
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool ends_word(char c) {
  return std::string_view(" \t\n,;:\"'()<>[]{}=").find(c) != std::string_view::npos;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = decode(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    const std::string_view name = entity(text[0]);
    if (next.bytes == 0 || unwanted(next.value)) {
      safe += kReplacement;
    } else if (!name.empty()) {
      safe += name;
    } else {
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string file_name(const std::filesystem::path& path) { return path.filename().string(); }

std::string without_folders(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && !ends_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    result += is_quotient(word) ? word : last_component(word);
    if (end < text.size()) result += text[end++];
    at = end;
  }
  return result;
}

std::string shell_word(const std::string& name) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
  };
  std::string word = name.starts_with('-') ? "./" + name : name;
  if (!word.empty() && std::all_of(word.begin(), word.end(), safe)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace sinkproof::report
