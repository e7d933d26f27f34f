#include "check/sizes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sinkproof::check {
namespace {

constexpr std::array<std::string_view, 8> kTrees = {
    "tree", "trees", "low_tree", "high_tree", "above", "below", "content_zero", "trigger_zero"};

bool holds_trees(const std::string& key) {
  return std::find(kTrees.begin(), kTrees.end(), key) != kTrees.end();
}

void for_each_string(const json::Value& value, const std::function<void(std::uint64_t)>& visit) {
  if (value.is_string()) visit(value.get_ref<const std::string&>().size());
  if (!value.is_structured()) return;
  for (const json::Value& part : value) for_each_string(part, visit);
}

}  // namespace

std::uint64_t bits_of(const exact::Integer& value) {
  return value == 0 ? 0 : boost::multiprecision::msb(boost::multiprecision::abs(value)) + 1;
}

void Bits::include(const exact::Rational& value) {
  numerator_ = std::max(numerator_, bits_of(boost::multiprecision::numerator(value)));
  denominator_ = std::max(denominator_, bits_of(boost::multiprecision::denominator(value)));
}

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
      if (key != "tokens" && !holds_trees(key)) include(part, key);
    }
  }
  return longest;
}

void for_each_tree(const json::Value& value, const std::function<void(std::uint64_t)>& visit) {
  if (value.is_array()) {
    for (const json::Value& part : value) for_each_tree(part, visit);
  }
  if (!value.is_object()) return;
  for (const auto& [key, part] : value.items()) {
    if (holds_trees(key)) {
      for_each_string(part, visit);
    } else {
      for_each_tree(part, visit);
    }
  }
}

}  // namespace sinkproof::check
