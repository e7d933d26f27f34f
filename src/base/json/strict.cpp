#include "json/strict.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sinkproof::json {
namespace {

constexpr std::size_t kMaxDepth = 64;

// Builds the value as nlohmann's own SAX builder would, and stops at the first thing it must
// refuse.
class StrictBuilder : public nlohmann::json_sax<Value> {
 public:
  explicit StrictBuilder(bool decimals) : decimals_(decimals) {}
  bool null() override { return put(Value(nullptr)); }
  bool boolean(bool value) override { return put(Value(value)); }
  // With a minus sign; without one it is number_unsigned.
  bool number_integer(number_integer_t value) override {
    if (value != 0) return put(Value(value));
    return decimals_ ? put(decimal("-0")) : refuse("number -0");
  }
  bool number_unsigned(number_unsigned_t value) override { return put(Value(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    if (decimals_) return put(decimal(text));
    return refuse("number " + text.substr(0, 40) + " is not a whole number of at most 64 bits, without point or exponent");
  }
  bool string(string_t& value) override { return put(Value(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return refuse("binary value"); }
  bool start_object(std::size_t /*elements*/) override { return open(Value::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Value::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (!levels_.back().keys.insert(name).second) {
      return refuse("duplicate key \"" + name.substr(0, 80) + "\"");
    }
    levels_.back().pending = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return refuse("malformed at byte " + std::to_string(position));
  }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  Value take() { return std::move(root_); }

 private:
  struct Level {
    Value value;
    std::set<std::string> keys;
    std::string pending;
  };

  static Value decimal(std::string text) {
    std::replace(text.begin(), text.end(), 'E', 'e');
    std::erase(text, '+');
    return Value::binary({text.begin(), text.end()});
  }
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }
  bool open(Value container) {
    if (levels_.size() >= kMaxDepth) return refuse("nested too deeply");
    levels_.push_back({std::move(container), {}, {}});
    return true;
  }
  bool close() {
    Value done = std::move(levels_.back().value);
    levels_.pop_back();
    return put(std::move(done));
  }
  bool put(Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (level.value.is_array()) {
      level.value.push_back(std::move(value));
    } else {
      level.value[level.pending] = std::move(value);
    }
    return true;
  }

  bool decimals_;
  std::vector<Level> levels_;
  Value root_;
  std::string refusal_;
};

bool holds_float(const Value& value) {
  if (!value.is_structured()) return value.is_number_float();
  return std::any_of(value.begin(), value.end(), holds_float);
}

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

exact::Result<Value> parse(std::string_view text, const std::string& where, bool decimals) {
  const auto refused = [&](const std::string& why) {
    return exact::fail("SP0301", where, "is not JSON as it is read here: " + why);
  };
  // nlohmann's lexer takes a NUL byte for the end of the text, whatever follows, and skips a byte
  // order mark. JSON allows neither.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return refused("NUL byte at " + std::to_string(nul));
  if (text.starts_with("\xEF\xBB\xBF")) return refused("byte order mark");
  StrictBuilder builder(decimals);
  const std::string quoted = decimals ? with_constants_quoted(text) : "";
  if (decimals) text = quoted;
  if (!Value::sax_parse(text.begin(), text.end(), &builder)) return refused(builder.refusal());
  return builder.take();
}

}  // namespace

exact::Result<Value> parse_strict(std::string_view text, const std::string& where) {
  return parse(text, where, false);
}

exact::Result<Value> parse_with_decimals(std::string_view text, const std::string& where) {
  return parse(text, where, true);
}

std::string canonical(const Value& value) {
  if (holds_float(value)) throw std::logic_error("canonical JSON holds no floats");
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
}

}  // namespace sinkproof::json
