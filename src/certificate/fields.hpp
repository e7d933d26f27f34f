// Reading the fields of a certificate: each function takes the JSON object and the name of a field,
// and gives the value or SP0503 naming the field. Nothing is optional and nothing is ignored: a
// reader first calls only_keys, so that a certificate cannot carry a field no rule has looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// Ok when `value` is an object whose keys are exactly `keys` (in any order).
exact::Result<void> only_keys(const json::Value& value, const std::vector<std::string>& keys,
                              const std::string& where);

exact::Result<std::string> string_field(const json::Value& object, const std::string& name,
                                        const std::string& where);
// A JSON integer in [least, most].
exact::Result<std::int64_t> integer_field(const json::Value& object, const std::string& name,
                                          std::int64_t least, std::int64_t most,
                                          const std::string& where);
// A string that exact::parse_rational accepts (otherwise SP0101).
exact::Result<exact::Rational> rational_field(const json::Value& object, const std::string& name,
                                              const std::string& where);
// The array itself; the pointer lives as long as `object`.
exact::Result<const json::Value*> array_field(const json::Value& object, const std::string& name,
                                              const std::string& where);
exact::Result<std::vector<std::string>> strings_field(const json::Value& object,
                                                      const std::string& name,
                                                      const std::string& where);

}  // namespace sinkproof::certificate
