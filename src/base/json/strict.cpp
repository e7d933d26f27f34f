#include "json/strict.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sinkproof::json {
namespace {

constexpr std::size_t kMaxDepth = 64;

// Builds the value as nlohmann's own SAX builder does, each part where its parent waits for it, and
// stops at the first thing it must refuse. Addresses of open containers stay valid: only the
// innermost one grows.
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
    return refuse("number " + text.substr(0, 40) +
                  " is not a whole number of at most 64 bits, without point or exponent");
  }
  bool string(string_t& value) override { return put(Value(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return refuse("binary value"); }
  bool start_object(std::size_t /*elements*/) override { return open(Value::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Value::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const auto [place, fresh] = open_.back()->emplace(name, nullptr);
    pending_ = &*place;
    return fresh || refuse("duplicate key \"" + name.substr(0, 80) + "\"");
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return refuse("malformed at byte " + std::to_string(position));
  }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  Value take() { return std::move(root_); }

 private:
  static Value decimal(std::string text) {
    std::replace(text.begin(), text.end(), 'E', 'e');
    std::erase(text, '+');
    return Value::binary({text.begin(), text.end()});
  }
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }
  Value* placed(Value value) {
    Value* place = &root_;
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(nullptr);
      place = &open_.back()->back();
    } else if (!open_.empty()) {
      place = pending_;
    }
    *place = std::move(value);
    return place;
  }
  bool put(Value value) { return placed(std::move(value)) != nullptr; }
  bool open(Value container) {
    if (open_.size() >= kMaxDepth) return refuse("nested too deeply");
    open_.push_back(placed(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  bool decimals_;
  Value root_;
  std::vector<Value*> open_;  // containers, the outermost first
  Value* pending_ = nullptr;  // the value of the last key
  std::string refusal_;
};

bool holds_float(const Value& value) {
  if (!value.is_structured()) return value.is_number_float();
  return std::any_of(value.begin(), value.end(), holds_float);
}

}  // namespace

exact::Result<Value> parse_strict(std::string_view text, const std::string& where, bool decimals) {
  const auto refused = [&](const std::string& why) {
    return exact::fail("SP0301", where, "is not JSON as it is read here: " + why);
  };
  // nlohmann's lexer takes a NUL byte for the end of the text, whatever follows, and skips a byte
  // order mark. JSON allows neither.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return refused("NUL byte at " + std::to_string(nul));
  if (text.starts_with("\xEF\xBB\xBF")) return refused("byte order mark");
  StrictBuilder builder(decimals);
  if (!Value::sax_parse(text.begin(), text.end(), &builder)) return refused(builder.refusal());
  return builder.take();
}

std::string canonical(const Value& value) {
  if (holds_float(value)) throw std::logic_error("canonical JSON holds no floats");
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
}

}  // namespace sinkproof::json
