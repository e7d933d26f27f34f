// The three kinds of rows of a sequence with its trigger at position j: before, at and after it;
// what they attend to; and where the trigger may stand.
#pragma once

#include <cstddef>
#include <string>

#include "attention/shapes.hpp"

namespace sinkproof::certify {

using RowClass = certificate::Rows;
using check::ByKey;
using check::flag_of;
using check::kBosKey;
using check::kContentKey;
using check::Key;
using check::kKeys;
using check::kNullSlot;
using check::kTriggerKey;

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
