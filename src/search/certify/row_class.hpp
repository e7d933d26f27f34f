// The three kinds of rows of a sequence with its trigger at position j: before, at and after it;
// what they attend to; and where the trigger may stand.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace sinkproof::certify {

enum class RowClass { kPre, kTrigger, kPost };

enum Key : std::size_t { kBosKey, kContentKey, kTriggerKey, kNullSlot, kKeys };
template <typename T>
using ByKey = std::array<T, kKeys>;

// Positions of the trigger, 3 <= first <= last <= L.
struct TriggerRange {
  std::size_t first = 3;
  std::size_t last = 3;
};

inline std::string to_string(RowClass rows) {
  switch (rows) {
    case RowClass::kPre:
      return "pre";
    case RowClass::kTrigger:
      return "trigger";
    case RowClass::kPost:
      return "post";
  }
  return "";
}

}  // namespace sinkproof::certify
