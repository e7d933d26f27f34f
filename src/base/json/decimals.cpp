#include "json/decimals.hpp"

#include <algorithm>
#include <cstdint>

namespace sinkproof::json {
namespace {

// The length of the JSON number that `text` begins with; 0: it begins with none.
std::size_t number_length(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - first;
  };
  const std::size_t whole = at;
  const std::size_t count = digits();
  if (count == 0 || (count > 1 && text[whole] == '0')) return 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return 0;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return 0;
  }
  return at;
}

// Whether a JSON number is 10^308 or more in size: nlohmann's lexer refuses what no double comes
// near.
bool is_huge(std::string_view number) {
  constexpr std::int64_t kMostOrder = 308;
  constexpr std::size_t kMostDigits = 9;  // of an exponent that files of this size can make up for
  const std::string_view digits = number.substr(0, number.find_first_of("eE"));
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t order = place > 0 ? place - 1 : place;
  if (digits.size() < number.size()) {
    std::string_view exponent = number.substr(digits.size() + 1);
    const bool negative = exponent.starts_with('-');
    exponent.remove_prefix(std::min(exponent.find_first_of("123456789"), exponent.size()));
    if (exponent.size() > kMostDigits) return !negative;
    std::int64_t size = 0;
    for (const char digit : exponent) size = 10 * size + (digit - '0');
    order += negative ? -size : size;
  }
  return order >= kMostOrder;
}

// What Python writes and JSON does not have (NaN, Infinity and -Infinity), and huge numbers, as
// strings.
std::string with_constants_quoted(std::string_view text) {
  std::string result;
  bool inside = false;  // a string
  while (!text.empty()) {
    std::size_t taken = inside && text.starts_with('\\') ? 2 : 1;
    bool quote = false;
    if (text.starts_with('"')) inside = !inside;
    for (const std::string_view constant : {"NaN", "Infinity", "-Infinity"}) {
      if (inside || !text.starts_with(constant)) continue;
      taken = constant.size();
      quote = true;
    }
    const std::size_t number = inside ? 0 : number_length(text);
    if (number != 0) {
      taken = number;
      quote = is_huge(text.substr(0, number));
    }
    if (quote) result += '"';
    result += text.substr(0, taken);
    if (quote) result += '"';
    text.remove_prefix(std::min(taken, text.size()));
  }
  return result;
}

}  // namespace

exact::Result<Value> parse_with_decimals(std::string_view text, const std::string& where) {
  return parse_strict(with_constants_quoted(text), where, true);
}

}  // namespace sinkproof::json
