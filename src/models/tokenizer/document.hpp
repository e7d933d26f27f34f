// The JSON files of a Hugging Face folder, read by json::parse_strict with decimals: a number that
// is not whole, or beyond 64 bits, is a binary value. Fields are read by functions that name what
// is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::tokenizer {

using Value = nlohmann::json;

// The largest tokenizer.json in use have some 35 MB.
inline constexpr std::uint64_t kMaxDocument = std::uint64_t{64} << 20U;

// SP2201 where parse_strict gives SP0301.
exact::Result<Value> parse_document(const std::string& text, const std::string& where);

// SP0201, SP0202 as file::read; SP2201, which names a Git LFS pointer.
exact::Result<Value> read_document(const std::filesystem::path& path);

// An empty object where the file is missing.
exact::Result<Value> read_if_there(const std::filesystem::path& path);

// A field of an object. SP2202 where it is missing or of another type; the optional ones may be
// absent or null.
exact::Result<std::string> text_field(const Value& object, const char* key,
                                      const std::string& where);
exact::Result<bool> flag_field(const Value& object, const char* key, const std::string& where);
exact::Result<std::size_t> count_field(const Value& object, const char* key,
                                       const std::string& where);
exact::Result<std::optional<std::string>> optional_text_field(const Value& object, const char* key,
                                                              const std::string& where);
exact::Result<std::optional<bool>> optional_flag_field(const Value& object, const char* key,
                                                       const std::string& where);

// SP2203: `object` has a field that is not among `known`, names separated by spaces. What is not
// read may change ids.
exact::Result<void> refuse_other_fields(const Value& object, std::string_view known,
                                        const std::string& where);

// object[key], or null where `object` is none or has no such field.
const Value& field_or_null(const Value& object, const char* key);

}  // namespace sinkproof::tokenizer
