#include "tokenizer/classes.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr Class kClasses[] = {
    {"BertTokenizer", "BertNormalizer BertPreTokenizer"},
    {"GPT2Tokenizer", "ByteLevel", false},
    {"GPTNeoXTokenizer", "NFC ByteLevel", false},
    {"LlamaTokenizer", "Metaspace", true},
    {"LlamaTokenizer", "Prepend Replace", true, true},  // older files
    {"Qwen2Tokenizer",
     R"(NFC Split pattern={"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| )"
     R"(?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"} ByteLevel use_regex=false)",
     false},
};

struct Field {
  std::string_view type;
  const char* field;
  const char* usual;  // JSON; null: absent
  const char* also = "null";
};
constexpr Field kFields[] = {
    {"ByteLevel", "use_regex", "true"},         {"BertNormalizer", "clean_text", "true"},
    {"Metaspace", "replacement", "\"\u2581\""}, {"Metaspace", "split", "false", "false"},
    {"Prepend", "prepend", "\"\u2581\""},       {"Replace", "pattern", R"({"String":" "})"},
    {"Replace", "content", "\"\u2581\""},       {"Split", "pattern", "null"},
    {"Split", "behavior", "\"Isolated\""},      {"Split", "invert", "false"},
};

void append_steps(const Value& part, const char* list, std::vector<const Value*>& steps) {
  if (!part.is_object()) return;
  if (field_or_null(part, "type") != Value("Sequence")) return steps.push_back(&part);
  for (const Value& step : field_or_null(part, list)) append_steps(step, list, steps);
}

}  // namespace

std::vector<const Class*> classes_named(std::string name) {
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  std::vector<const Class*> found;
  for (const Class& one : kClasses) {
    if (one.name == name) found.push_back(&one);
  }
  return found;
}

std::vector<const Value*> steps_in(const Value& document) {
  std::vector<const Value*> steps;
  append_steps(field_or_null(document, "normalizer"), "normalizers", steps);
  append_steps(field_or_null(document, "pre_tokenizer"), "pretokenizers", steps);
  return steps;
}

std::string described(const std::vector<const Value*>& steps) {
  std::string text;
  for (const Value* step : steps) {
    const Value& name = field_or_null(*step, "type");
    const std::string type = name.is_string() ? name.get<std::string>() : "";
    text += (text.empty() ? "" : " ") + type;
    for (const Field& one : kFields) {
      if (one.type != type) continue;
      const std::string value = field_or_null(*step, one.field).dump();
      if (value == one.usual || value == one.also) continue;
      text += " " + std::string(one.field) + "=" + value;
    }
  }
  return text;
}

}  // namespace sinkproof::tokenizer
