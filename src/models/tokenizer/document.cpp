#include "tokenizer/document.hpp"

#include <system_error>

#include "file/file.hpp"
#include "json/strict.hpp"

namespace sinkproof::tokenizer {
namespace {

exact::Error wrong(const char* key, const char* type, const std::string& where) {
  return {"SP2202", where, "field \"" + std::string(key) + "\" is missing or is not " + type};
}

}  // namespace

exact::Result<Value> parse_document(const std::string& text, const std::string& where) {
  return json::parse_strict(text, where, true).map_error([](exact::Error error) {
    error.code = "SP2201";
    return error;
  });
}

exact::Result<Value> read_document(const std::filesystem::path& path) {
  const auto text = file::read(path, kMaxDocument);
  if (!text) return tl::make_unexpected(text.error());
  if (text->starts_with("version https://git-lfs.github.com/spec/")) {
    return exact::fail("SP2201", path.string(),
                       "is a Git LFS pointer instead of a JSON file; run `git lfs pull` in its "
                       "clone to download the file");
  }
  return parse_document(*text, path.string());
}

exact::Result<Value> read_if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Value::object();
  return read_document(path);
}

const Value& field_or_null(const Value& object, const char* key) {
  static const Value null;
  const auto place = object.is_object() ? object.find(key) : object.end();
  return place == object.end() ? null : *place;
}

exact::Result<std::string> text_field(const Value& object, const char* key,
                                      const std::string& where) {
  const Value& value = field_or_null(object, key);
  if (!value.is_string()) return tl::make_unexpected(wrong(key, "text", where));
  return value.get<std::string>();
}

exact::Result<std::optional<std::string>> optional_text_field(const Value& object, const char* key,
                                                              const std::string& where) {
  if (field_or_null(object, key).is_null()) return std::nullopt;
  return text_field(object, key, where);
}

exact::Result<bool> flag_field(const Value& object, const char* key, const std::string& where) {
  const Value& value = field_or_null(object, key);
  if (!value.is_boolean()) return tl::make_unexpected(wrong(key, "true or false", where));
  return value.get<bool>();
}

exact::Result<std::optional<bool>> optional_flag_field(const Value& object, const char* key,
                                                       const std::string& where) {
  if (field_or_null(object, key).is_null()) return std::nullopt;
  return flag_field(object, key, where).map([](bool value) { return std::optional(value); });
}

exact::Result<std::size_t> count_field(const Value& object, const char* key,
                                       const std::string& where) {
  const Value& value = field_or_null(object, key);
  if (!value.is_number_unsigned()) return tl::make_unexpected(wrong(key, "count", where));
  return value.get<std::size_t>();
}

exact::Result<void> refuse_other_fields(const Value& object, std::string_view known,
                                        const std::string& where) {
  const std::string list = " " + std::string(known) + " ";
  for (const auto& [name, value] : object.items()) {
    const bool one = name.find(' ') == std::string::npos;
    if (one && list.find(" " + name + " ") != std::string::npos) continue;
    return exact::fail("SP2203", where,
                       "the field \"" + name.substr(0, 40) +
                           "\" is not supported and may change token ids; give token ids instead "
                           "of text, or delete the field if the tokenizer does not use it");
  }
  return {};
}

}  // namespace sinkproof::tokenizer
