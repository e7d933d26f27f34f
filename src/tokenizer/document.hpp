// The JSON files of a Hugging Face folder. They hold fractions and numbers beyond 64 bits, which
// json::parse_strict refuses; what makes a vocabulary ambiguous, a key that stands there twice, is
// refused here, too. Fields are read by functions that name what is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "exact/error.hpp"

namespace sinkproof::tokenizer {

using Value = nlohmann::json;

// The largest tokenizer.json in use have some 35 MB.
inline constexpr std::uint64_t kMaxDocument = std::uint64_t{64} << 20U;
inline constexpr std::size_t kMaxNesting = 64;

// SP2201: malformed text, UTF-8 or escapes (a lone surrogate), a key twice in one object, arrays
// and objects nested deeper than kMaxNesting.
exact::Result<Value> parse_document(const std::string& text, const std::string& where);

// SP0201, SP0202 as file::read; SP2201.
exact::Result<Value> read_document(const std::filesystem::path& path);

// A field of an object. SP2202 where it is missing or of another type; of the last three an absent
// field or null is `otherwise`.
exact::Result<std::string> text_field(const Value& object, const char* key,
                                      const std::string& where);
exact::Result<bool> flag_field(const Value& object, const char* key, bool otherwise,
                               const std::string& where);
exact::Result<std::size_t> count_field(const Value& object, const char* key, std::size_t otherwise,
                                       const std::string& where);
exact::Result<std::optional<std::string>> optional_text_field(const Value& object, const char* key,
                                                              const std::string& where);

// object[key], or null where `object` is none or has no such field.
const Value& field_or_null(const Value& object, const char* key);

}  // namespace sinkproof::tokenizer
