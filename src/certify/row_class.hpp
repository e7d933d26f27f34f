// The three kinds of rows of a sequence with its trigger at position j: before, at and after it.
#pragma once

#include <cstddef>
#include <string>

namespace sinkproof::certify {

enum class RowClass { kPre, kTrigger, kPost };

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
