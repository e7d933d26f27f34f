#include "tokenizer/pattern.hpp"

#include <array>
#include <cstddef>

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kMaxPattern = 16384;
constexpr std::array<std::string_view, 7> kGroups = {
    "(?:", "(?i:", "(?>", "(?=", "(?!", "(?<=", "(?<!"};

class Translation {
 public:
  Translation(std::string_view pattern, const std::string& where)
      : pattern_(pattern), where_(where) {}

  exact::Result<std::string> run() {
    if (pattern_.size() > kMaxPattern) return refuse("is longer than 16384 bytes");
    while (at_ < pattern_.size()) {
      const bool taken = pattern_[at_] == '\\' ? escape() : in_set_ ? in_set() : outside();
      if (!taken)
        return refuse(
            "has a form that means something else in PCRE2; give token ids instead of text");
    }
    return std::move(translated_);
  }

 private:
  [[nodiscard]] bool next_is(std::string_view text) const {
    return pattern_.substr(at_).starts_with(text);
  }
  bool take(std::size_t count) {
    translated_ += pattern_.substr(at_, count);
    at_ += count;
    return true;
  }
  bool put(std::string_view text, std::size_t taken) {
    translated_ += text;
    at_ += taken;
    return true;
  }
  [[nodiscard]] tl::unexpected<exact::Error> refuse(const std::string& why) const {
    return exact::fail("SP2206", where_,
                       "the regular expression " + why + ", at byte " + std::to_string(at_));
  }

  bool escape() {
    const char letter = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : 'k';
    if (letter == 's') return put("\\p{White_Space}", 2);
    if (letter == 'S') return put("\\P{White_Space}", 2);
    if (letter == 'p' || letter == 'P') return property();
    const bool alphanumeric = (letter >= '0' && letter <= '9') ||
                              (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    const std::string_view same = in_set_ ? "rntfeaxdD" : "rntfeaxdDAzZ";
    const bool ascii = static_cast<unsigned char>(letter) < 0x80;
    return ascii && (!alphanumeric || same.find(letter) != std::string_view::npos) && take(2);
  }

  // General categories have up to two letters; what is longer names a script.
  bool property() {
    const std::size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos || pattern_.substr(at_ + 2, 1) != "{") return false;
    const std::string_view name = pattern_.substr(at_ + 3, close - at_ - 3);
    const bool negated = name.starts_with('^');
    if (name.size() <= (negated ? 3U : 2U)) return take(close + 1 - at_);
    translated_ += pattern_.substr(at_, 3);
    translated_ += negated ? "^sc:" : "sc:";
    return put(name.substr(negated ? 1 : 0), close - at_) && put("}", 1);
  }

  // A bracket that is first in its set stands for itself in PCRE2.
  bool in_set() {
    if (pattern_[at_] == '[' || next_is("&&") || (pattern_[at_] == ']' && at_ == set_begins_)) {
      return false;
    }
    in_set_ = pattern_[at_] != ']';
    return take(1);
  }

  bool outside() {
    if (pattern_[at_] == '[') {
      in_set_ = true;
      set_begins_ = at_ + (next_is("[^") ? 2 : 1);
      return take(set_begins_ - at_);
    }
    if (next_is("(*") || next_is("}+")) return false;
    if (!next_is("(?")) return take(1);
    for (const std::string_view group : kGroups) {
      if (next_is(group)) return take(group.size());
    }
    return false;
  }

  std::string_view pattern_;
  const std::string& where_;
  std::string translated_;
  std::size_t at_ = 0;
  std::size_t set_begins_ = 0;
  bool in_set_ = false;
};

}  // namespace

exact::Result<std::string> to_pcre2(std::string_view pattern, const std::string& where) {
  return Translation(pattern, where).run();
}

}  // namespace sinkproof::tokenizer
