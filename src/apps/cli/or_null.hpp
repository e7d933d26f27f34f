// A text in JSON that may be absent: null where it is empty.
#pragma once

#include <string>

#include "json/strict.hpp"

namespace sinkproof::cli {

inline json::Value or_null(const std::string& text) {
  return text.empty() ? json::Value() : json::Value(text);
}

}  // namespace sinkproof::cli
