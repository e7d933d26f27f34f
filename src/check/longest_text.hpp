// How long the numbers of a certificate are, which the work with them depends on (FORMAT.md,
// section 7).
#pragma once

#include <cstdint>
#include <string>

#include "json/strict.hpp"

namespace sinkproof::check {

// D': the characters of the longest string in `value`, keys, points, trees and tokens aside, and
// the key that holds it ("" in a list).
struct LongestText {
  std::uint64_t characters = 0;
  std::string key;
};
LongestText longest_text(const json::Value& value);

}  // namespace sinkproof::check
