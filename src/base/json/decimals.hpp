// JSON that other programs write, such as config.json.
#pragma once

#include <string>
#include <string_view>

#include "json/strict.hpp"

namespace sinkproof::json {

// parse_strict with decimals, but NaN, Infinity and -Infinity, which Python writes, and numbers
// whose nearest double is infinite are taken for strings.
exact::Result<Value> parse_with_decimals(std::string_view text, const std::string& where);

}  // namespace sinkproof::json
