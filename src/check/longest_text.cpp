#include "check/longest_text.hpp"

#include <algorithm>
#include <utility>

namespace sinkproof::check {

LongestText longest_text(const json::Value& value) {
  if (value.is_string()) return {value.get_ref<const std::string&>().size(), ""};
  LongestText longest;
  const auto include = [&](const json::Value& part, const std::string& key) {
    LongestText inside = longest_text(part);
    if (inside.characters <= longest.characters) return;
    if (inside.key.empty()) inside.key = key;
    longest = std::move(inside);
  };
  if (value.is_array()) {
    for (const json::Value& part : value) include(part, "");
  }
  if (value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      if (key != "points" && key != "tokens" && key != "trees") include(part, key);
    }
  }
  return longest;
}

}  // namespace sinkproof::check
