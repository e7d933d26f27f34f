#include "json/strict.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sinkproof::json {
namespace {

constexpr std::size_t kMaxDepth = 64;

// nlohmann's own builder, stopped at the first thing that must be refused.
class StrictBuilder : public nlohmann::detail::json_sax_dom_parser<Value> {
 public:
  using Builder = nlohmann::detail::json_sax_dom_parser<Value>;

  StrictBuilder(Value& to, bool decimals) : Builder(to, false), decimals_(decimals) {}

  // With a minus sign; without one it is number_unsigned.
  bool number_integer(number_integer_t value) {
    return value == 0 ? refuse("number -0") : Builder::number_integer(value);
  }
  bool number_float(number_float_t /*value*/, const string_t& text) {
    if (!decimals_ || text.find_first_of(".eE") == string_t::npos) {
      return refuse("number " + text.substr(0, 40) + " is not a 64-bit integer");
    }
    std::string decimal = text;
    std::replace(decimal.begin(), decimal.end(), 'E', 'e');
    std::erase(decimal, '+');
    binary_t bytes({decimal.begin(), decimal.end()});
    return Builder::binary(bytes);
  }
  bool binary(binary_t& /*value*/) { return refuse("binary value"); }
  bool start_object(std::size_t elements) { return open() && Builder::start_object(elements); }
  bool start_array(std::size_t elements) { return open() && Builder::start_array(elements); }
  bool end_object() {
    keys_.pop_back();
    return Builder::end_object();
  }
  bool end_array() {
    keys_.pop_back();
    return Builder::end_array();
  }
  bool key(string_t& name) {
    const bool is_new = keys_.back().insert(name).second;
    return is_new ? Builder::key(name) : refuse("duplicate key \"" + name.substr(0, 80) + "\"");
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    return refuse("malformed at byte " + std::to_string(position));
  }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }
  bool open() {
    keys_.emplace_back();
    return keys_.size() <= kMaxDepth || refuse("nested too deeply");
  }

  bool decimals_;
  std::vector<std::set<std::string>> keys_;  // those seen so far at each level; none of arrays
  std::string refusal_;
};

bool holds_float(const Value& value) {
  if (!value.is_structured()) return value.is_number_float();
  return std::any_of(value.begin(), value.end(), holds_float);
}

exact::Result<Value> parse(std::string_view text, const std::string& where, bool decimals) {
  const auto refused = [&](const std::string& why) {
    return exact::fail("SP0301", where, "not strict JSON: " + why);
  };
  // nlohmann's lexer takes a NUL byte for the end of the text, whatever follows, and skips a byte
  // order mark. JSON allows neither.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return refused("NUL byte at " + std::to_string(nul));
  if (text.starts_with("\xEF\xBB\xBF")) return refused("byte order mark");
  Value root;
  StrictBuilder builder(root, decimals);
  if (!Value::sax_parse(text.begin(), text.end(), &builder)) return refused(builder.refusal());
  return root;
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
