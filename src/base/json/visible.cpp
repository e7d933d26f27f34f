#include "json/visible.hpp"

#include <algorithm>
#include <iterator>

namespace sinkproof::json {
namespace {

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr Span kHidden[] = {{0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C},
                            {0x180E, 0x180E}, {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},
                            {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return 2;
  if (lead >= 0xE0U && lead <= 0xEFU) return 3;
  if (lead >= 0xF0U && lead <= 0xF4U) return 4;
  return 0;
}

void put_hex(std::string& text, std::uint32_t value, unsigned digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (unsigned i = digits; i-- > 0;) text += kDigits[(value >> (4 * i)) & 15U];
}

std::string escaped(std::string_view text, bool keeps_line_feeds) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    const auto byte = static_cast<unsigned char>(text.front());
    if (next.bytes == 0 || (byte < 0x20U && !(keeps_line_feeds && byte == '\n'))) {
      shown += "\\x";
      put_hex(shown, byte, 2);
    } else if (byte >= 0x20U && is_hidden(next.value)) {
      shown += "\\u";
      put_hex(shown, next.value, 4);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
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

bool is_hidden(std::uint32_t code_point) {
  return std::any_of(std::begin(kHidden), std::end(kHidden), [&](const Span& span) {
    return span.first <= code_point && code_point <= span.last;
  });
}

std::string visible(std::string_view text) { return escaped(text, false); }

std::string shown_key(std::string_view key) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  constexpr std::size_t kMost = 80;
  const bool plain = key.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain && !key.empty() && key.size() <= kMost) return std::string(key);
  std::size_t end = 0;
  for (std::size_t i = 0; i < kMost && end < key.size(); ++i) {
    end += std::max<std::size_t>(first_code_point(key.substr(end)).bytes, 1);
  }
  const Value start = std::string(key.substr(0, end));
  return start.dump(-1, ' ', true, Value::error_handler_t::replace) +
         (end < key.size() ? "..." : "");
}

std::string visible_dump(const Value& value) {
  return escaped(value.dump(2, ' ', false, Value::error_handler_t::replace), true);
}

}  // namespace sinkproof::json
