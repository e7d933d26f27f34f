#include "tokenizer/document.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "file/file.hpp"

namespace sinkproof::tokenizer {
namespace {

// Places each value where its parent waits for it. Addresses of open containers stay valid: only
// the innermost one grows.
class Builder : public nlohmann::json_sax<Value> {
 public:
  bool null() override { return put(Value(nullptr)) != nullptr; }
  bool boolean(bool value) override { return put(Value(value)) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(Value(value)) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(Value(value)) != nullptr; }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return put(Value(value)) != nullptr;
  }
  bool string(string_t& value) override { return put(Value(std::move(value))) != nullptr; }
  bool binary(binary_t& /*value*/) override { return refuse("a binary value"); }
  bool start_object(std::size_t /*elements*/) override { return open(Value::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Value::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const auto [place, fresh] = open_.back()->emplace(name, nullptr);
    pending_ = &*place;
    return fresh || refuse("the key \"" + name.substr(0, 80) + "\" is repeated");
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return refuse("malformed at byte " + std::to_string(position));
  }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  Value take() { return std::move(root_); }

 private:
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }
  Value* put(Value value) {
    Value* place = &root_;
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(nullptr);
      place = &open_.back()->back();
    } else if (!open_.empty()) {
      place = pending_;
    }
    *place = std::move(value);
    return place;
  }
  bool open(Value container) {
    if (open_.size() >= kMaxNesting) return refuse("nested too deeply");
    open_.push_back(put(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Value root_;
  std::vector<Value*> open_;
  Value* pending_ = nullptr;
  std::string refusal_;
};

exact::Error wrong(const char* key, const char* type, const std::string& where) {
  return {"SP2202", where, "field \"" + std::string(key) + "\" is missing or is not " + type};
}

}  // namespace

exact::Result<Value> parse_document(const std::string& text, const std::string& where) {
  // nlohmann takes a NUL byte for the end of the text, whatever follows.
  if (text.find('\0') != std::string::npos) return exact::fail("SP2201", where, "holds a NUL byte");
  Builder builder;
  if (!Value::sax_parse(text.begin(), text.end(), &builder)) {
    return exact::fail("SP2201", where, "is not strict JSON: " + builder.refusal());
  }
  return builder.take();
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
