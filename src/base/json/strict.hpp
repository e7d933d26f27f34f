// JSON for things that must not have two readings. nlohmann::json keeps the last of two equal keys
// and turns an integer too large for 64 bits into a double; parse_strict refuses both while
// parsing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::json {

using Value = nlohmann::json;

// The value, or SP0301 with the byte offset: malformed text or UTF-8, a duplicate key, a fraction
// or an exponent, an integer outside int64/uint64, depth over 64, bytes after the value, a NUL byte
// anywhere, a byte order mark. With `decimals` a fraction, a number with an exponent, an integer
// beyond 64 bits or -0 becomes a binary value: the bytes of its text (lower case, no plus sign).
exact::Result<Value> parse_strict(std::string_view text, const std::string& where,
                                  bool decimals = false);

// Canonical text: UTF-8, keys sorted by bytes, no spaces, no floats (a float in `value` is a bug
// here).
std::string canonical(const Value& value);

}  // namespace sinkproof::json
