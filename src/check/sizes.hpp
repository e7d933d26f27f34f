// The sizes that the work of a certificate depends on, FORMAT.md section 7: how long its numbers
// and trees are, how long those of a model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Bits of |value| in binary; 0 for 0.
std::uint64_t bits_of(const exact::Integer& value);

// The most bits of a numerator plus the most bits of a denominator.
class Bits {
 public:
  void include(const exact::Rational& value);
  [[nodiscard]] std::uint64_t total() const { return numerator_ + denominator_; }

 private:
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 0;
};

// D: the characters of the longest string in `value`, keys, trees and tokens aside, and the key
// that holds it ("" in a list).
struct LongestText {
  std::uint64_t characters = 0;
  std::string key;
};
LongestText longest_text(const json::Value& value);

// Calls `visit` with the number of characters of every tree in `value`.
void for_each_tree(const json::Value& value, const std::function<void(std::uint64_t)>& visit);

}  // namespace sinkproof::check
