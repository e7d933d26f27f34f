#include "tokenizer/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sinkproof::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostUnlisted = 256;

// They change no id of a text: what a program is called, lengths, sides, chats, decoding, files.
// add_eos_token and what follows a text: that is left out here. --bos decides whether a BOS begins.
constexpr std::string_view kNeutral[] = {"_commit_hash",
                                         "_name_or_path",
                                         "add_eos_token",
                                         "backend",
                                         "chat_template",
                                         "clean_up_tokenization_spaces",
                                         "device_map",
                                         "do_basic_tokenize",
                                         "errors",
                                         "full_tokenizer_file",
                                         "init_inputs",
                                         "is_local",
                                         "local_files_only",
                                         "max_len",
                                         "max_length",
                                         "merges_file",
                                         "model_input_names",
                                         "model_max_length",
                                         "name_or_path",
                                         "never_split",
                                         "pad_to_multiple_of",
                                         "pad_token_type_id",
                                         "padding_side",
                                         "processor_class",
                                         "response_schema",
                                         "sp_model_kwargs",
                                         "spaces_between_special_tokens",
                                         "special_tokens_map_file",
                                         "stride",
                                         "tokenizer_file",
                                         "trim_offsets",
                                         "truncation_side",
                                         "truncation_strategy",
                                         "use_default_system_prompt",
                                         "use_fast",
                                         "vocab_file",
                                         "wordpieces_prefix"};

// True makes other ids.
constexpr std::string_view kOff[] = {"fix_mistral_regex", "from_slow", "split_special_tokens"};

// What transformers 5 makes of these classes, whatever tokenizer.json says: the normalizer's and
// the pre-tokenizer's steps as `described`.
struct Class {
  std::string_view name;  // without "Fast"
  std::string_view steps;
  bool adds_no_space = false;  // where the key add_prefix_space is absent
};
constexpr Class kClasses[] = {
    {"BertTokenizer", "BertNormalizer BertPreTokenizer"},
    {"GPT2Tokenizer", "ByteLevel", true},
    {"GPTNeoXTokenizer", "NFC ByteLevel", true},
    {"LlamaTokenizer", "Metaspace"},
    {"LlamaTokenizer", "Prepend Replace"},  // the same, as older files have it
    {"Qwen2Tokenizer",
     R"(NFC Split {"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| )"
     R"(?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"} ByteLevel of no names)",
     true},
};

template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

// The steps of a part of tokenizer.json, those within Sequences one after the other; how deep these
// nest parse_document bounds.
void append_steps(const Value& part, const char* list, std::vector<const Value*>& steps) {
  if (!part.is_object()) return;
  if (field_or_null(part, "type") != Value("Sequence")) return steps.push_back(&part);
  for (const Value& step : field_or_null(part, list)) append_steps(step, list, steps);
}

// A step's type, and what else makes it another step.
std::string described(const Value& step) {
  const Value& type = field_or_null(step, "type");
  std::string text = type.is_string() ? type.get<std::string>() : "";
  if (text == "ByteLevel" && field_or_null(step, "use_regex") == Value(false)) {
    text += " of no names";
  }
  if (text != "Split") return text;
  text += " " + field_or_null(step, "pattern").dump();
  const Value& behavior = field_or_null(step, "behavior");
  if (behavior != Value("Isolated")) text += " " + behavior.dump();
  return field_or_null(step, "invert") == Value(true) ? text + " inverted" : text;
}

std::string shown(const Value& value) {
  const std::string text = value.dump(-1, ' ', true, Value::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 80) + "...";
}

// "<s>", {"content": "<s>", ..}.
const Value& content_of(const Value& token) {
  return token.is_object() ? field_or_null(token, "content") : token;
}

class Check {
 public:
  Check(const Value& document, const AddedTokens& added, const std::vector<Id>& prefix,
        fs::path folder)
      : added_(added),
        prefix_(prefix),
        folder_(std::move(folder)),
        tokens_(field_or_null(document, "added_tokens")) {
    append_steps(field_or_null(document, "normalizer"), "normalizers", steps_);
    append_steps(field_or_null(document, "pre_tokenizer"), "pretokenizers", steps_);
  }

  void settings(const Value& settings, const std::string& where) {
    where_ = where;
    for (const auto& [key, value] : settings.items()) check(settings, key, value);
  }

  // Of special_tokens_map.json or added_tokens.json, which has contents for keys.
  void tokens(const Value& file, const std::string& where, bool by_content) {
    where_ = where;
    for (const auto& [key, value] : file.items()) {
      by_content ? list(Value(key)) : list_all(value);
    }
  }

  exact::Result<Unlisted> result() && {
    if (unlisted_.size() > kMostUnlisted) {
      refuse("names more than 256 tokens that tokenizer.json does not have", kSave);
    }
    if (refusal_) return tl::make_unexpected(*refusal_);
    return std::move(unlisted_);
  }

 private:
  static constexpr const char* kSame =
      "transformers uses the key; make both agree, or give token ids instead of text";
  static constexpr const char* kSave =
      "save the tokenizer again with save_pretrained, or give token ids instead of text";

  // The first refusal stays.
  void refuse(const std::string& what, const std::string& action) {
    if (!refusal_) refusal_ = exact::Error{"SP2213", where_, what + "; " + action};
  }

  void contradicts(const std::string& key, const Value& value, const std::string& other) {
    refuse("key " + key + " is " + shown(value) + ", but tokenizer.json gives " + other, kSame);
  }

  [[nodiscard]] std::vector<const Value*> steps_of(std::string_view type) const {
    std::vector<const Value*> found;
    for (const Value* step : steps_) {
      if (field_or_null(*step, "type") == Value(std::string(type))) found.push_back(step);
    }
    return found;
  }

  void check(const Value& settings, const std::string& key, const Value& value) {
    if (key == "tokenizer_class") return check_class(settings, value);
    if (key == "added_tokens_decoder") return check_decoder(value);
    if (key.ends_with("_token") && !key.starts_with("add_")) return list_all(value);
    if (key == "additional_special_tokens" || key == "extra_special_tokens") return list_all(value);
    if (holds(kNeutral, key) || value.is_null() || value == Value::object()) return;
    if (key == "auto_map") {
      return refuse("key auto_map names the tokenizer's own code", "give token ids instead");
    }
    const bool known = holds(kOff, key) || key == "do_lower_case" || key == "strip_accents" ||
                       key == "tokenize_chinese_chars" || key == "add_prefix_space" ||
                       key == "add_bos_token" || key == "legacy";
    if (!known) {
      return refuse(
          "key " + shown(Value(key)) + " is not supported and may change token ids",
          "remove it if the tokenizer does not use it, or give token ids instead of text");
    }
    if (!value.is_boolean()) {
      return refuse("key " + key + " is " + shown(value) + ", not true or false", kSave);
    }
    const bool flag = value.get<bool>();
    if (holds(kOff, key)) {
      if (flag) refuse("key " + key + " is true, which is not supported", "give token ids instead");
    } else if (key == "add_bos_token") {
      if (flag) check_bos();
    } else if (key == "add_prefix_space") {
      check_flag(key, flag, prepends());
    } else if (key == "legacy") {
      check_legacy(settings, flag);
    } else {
      check_normalizer(key, flag);
    }
  }

  void check_flag(const std::string& key, bool flag, bool other) {
    if (flag != other) contradicts(key, flag, other ? "true" : "false");
  }

  // Whether tokenizer.json puts a space, or the sign for one, before a text.
  [[nodiscard]] bool prepends() const {
    const auto byte_level = steps_of("ByteLevel");
    const auto metaspace = steps_of("Metaspace");
    return !steps_of("Prepend").empty() ||
           std::any_of(byte_level.begin(), byte_level.end(),
                       [](const Value* step) {
                         return field_or_null(*step, "add_prefix_space") == Value(true);
                       }) ||
           std::any_of(metaspace.begin(), metaspace.end(), [](const Value* step) {
             return field_or_null(*step, "prepend_scheme") != Value("never");
           });
  }

  void check_normalizer(const std::string& key, bool flag) {
    const auto bert = steps_of("BertNormalizer");
    for (const Value* step : bert) {
      const bool lower = field_or_null(*step, "lowercase") == Value(true);
      const Value& strip = field_or_null(*step, "strip_accents");
      const bool other = key == "do_lower_case" ? lower
                         : key == "strip_accents"
                             ? (strip.is_null() ? lower : strip == Value(true))
                             : field_or_null(*step, "handle_chinese_chars") == Value(true);
      check_flag(key, flag, other);
    }
    if (!bert.empty() || key == "tokenize_chinese_chars") return;
    check_flag(key, flag, !steps_of(key == "do_lower_case" ? "Lowercase" : "StripAccents").empty());
  }

  // Of Llama's class: the scheme is "always" where it is true, else "first".
  void check_legacy(const Value& settings, bool flag) {
    const Value& name = field_or_null(settings, "tokenizer_class");
    if (name != Value("LlamaTokenizer") && name != Value("LlamaTokenizerFast")) return;
    for (const Value* step : steps_of("Metaspace")) {
      const Value& scheme = field_or_null(*step, "prepend_scheme");
      if (scheme == Value(flag ? "first" : "always")) {
        contradicts("legacy", flag, flag ? "false" : "true");
      }
    }
  }

  // Then transformers puts bos_token before a text, not what the post-processor does.
  void check_bos() {
    const auto bos = named_bos(folder_);
    if (!bos) {
      if (!refusal_) refusal_ = bos.error();
      return;
    }
    if (!*bos || prefix_.empty()) return;
    const auto id = added_.vocabulary().id_of(**bos);
    if (id && prefix_ == std::vector{*id}) return;
    refuse("key add_bos_token is true and bos_token " + shown(Value(**bos)) +
               ", but the post_processor of tokenizer.json puts another token before a text",
           kSame);
  }

  void check_class(const Value& settings, const Value& value) {
    if (!value.is_string()) return;
    std::string name = value.get<std::string>();
    if (name.ends_with("Fast")) name.resize(name.size() - 4);
    std::string types;
    for (const Value* step : steps_) {
      types += (types.empty() ? "" : " ") + described(*step);
    }
    std::string made;
    for (const Class& one : kClasses) {
      if (one.name != name) continue;
      if (one.steps == types) {
        const bool silent = field_or_null(settings, "add_prefix_space").is_null();
        if (one.adds_no_space && silent && prepends()) {
          refuse("key add_prefix_space is absent, which means false for tokenizer_class " +
                     shown(value) + ", but tokenizer.json puts a space before a text",
                 kSame);
        }
        return;
      }
      made += (made.empty() ? "" : " or ") + std::string(one.steps);
    }
    if (made.empty()) return;
    refuse("key tokenizer_class is " + shown(value) + ", for which transformers makes " + made +
               ", but tokenizer.json has " +
               (types.empty() ? "no such steps" : types.substr(0, 200)),
           "set it to \"PreTrainedTokenizerFast\", with which transformers takes tokenizer.json as "
           "it is, or give token ids instead of text");
  }

  // {"0": {"content": "<s>", "lstrip": false, ..}, ..}: as tokenizer.json has it, or not at all.
  void check_decoder(const Value& decoder) {
    for (const auto& [id, token] : decoder.items()) {
      const Value& content = content_of(token);
      const auto listed = std::find_if(tokens_.begin(), tokens_.end(), [&](const Value& other) {
        return field_or_null(other, "content") == content;
      });
      if (listed == tokens_.end()) {
        list(content);
        continue;
      }
      for (const char* flag : {"lstrip", "normalized", "rstrip", "single_word"}) {
        const Value& said = field_or_null(token, flag);
        if (said.is_null() || said == field_or_null(*listed, flag)) continue;
        contradicts("added_tokens_decoder: " + shown(content) + ": " + flag, said,
                    shown(field_or_null(*listed, flag)));
      }
      const Value& other = field_or_null(*listed, "id");
      if (shown(other) != id)
        contradicts("added_tokens_decoder: " + shown(content), id, shown(other));
    }
  }

  // Of a text, or an object or list of such.
  void list_all(const Value& value) {
    if (content_of(value).is_string()) return list(content_of(value));
    if (!value.is_structured()) return;
    for (const Value& token : value) {
      if (content_of(token).is_string()) list(content_of(token));
    }
  }

  void list(const Value& content) {
    if (!content.is_string()) return;
    const auto& text = content.get_ref<const std::string&>();
    if (text.empty() || added_.vocabulary().id_of(text) || unlisted_.size() > kMostUnlisted) return;
    if (std::find(unlisted_.begin(), unlisted_.end(), text) == unlisted_.end()) {
      unlisted_.push_back(text);
    }
  }

  const AddedTokens& added_;
  const std::vector<Id>& prefix_;
  fs::path folder_;
  const Value& tokens_;
  std::vector<const Value*> steps_;
  std::string where_;
  Unlisted unlisted_;
  std::optional<exact::Error> refusal_;
};

}  // namespace

exact::Result<Unlisted> check_settings(const fs::path& folder, const Value& document,
                                       const AddedTokens& added, const std::vector<Id>& prefix) {
  Check check(document, added, prefix, folder);
  for (const char* name :
       {"special_tokens_map.json", "added_tokens.json", "tokenizer_config.json"}) {
    const fs::path path = folder / name;
    const auto file = read_if_there(path);
    if (!file) return tl::make_unexpected(file.error());
    if (!file->is_object()) return exact::fail("SP2202", path.string(), "is not an object");
    const std::string_view named = name;
    if (named == "tokenizer_config.json") {
      check.settings(*file, path.string());
    } else {
      check.tokens(*file, path.string(), named == "added_tokens.json");
    }
  }
  return std::move(check).result();
}

exact::Result<std::optional<std::string>> named_bos(const fs::path& folder) {
  std::optional<std::string> bos;
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const auto file = read_if_there(folder / name);
    if (!file) return tl::make_unexpected(file.error());
    const Value& content = content_of(field_or_null(*file, "bos_token"));
    if (!content.is_string()) continue;
    if (bos && content != Value(*bos)) {
      return exact::fail("SP2210", folder.string(),
                         "bos_token is " + shown(Value(*bos)) + " in tokenizer_config.json and " +
                             shown(content) +
                             " in special_tokens_map.json; correct the wrong one, or ask for ids "
                             "without BOS");
    }
    bos = content.get<std::string>();
  }
  return bos;
}

exact::Result<void> refuse_unlisted(std::string_view text, const Unlisted& unlisted) {
  for (const std::string& token : unlisted) {
    if (text.find(token) == std::string_view::npos) continue;
    return exact::fail("SP2213", "text",
                       "holds " + shown(Value(token)) +
                           ", which transformers makes one token by tokenizer_config.json, "
                           "special_tokens_map.json or added_tokens.json, but tokenizer.json does "
                           "not; save the tokenizer again with save_pretrained, or leave it out of "
                           "the text");
  }
  return {};
}

}  // namespace sinkproof::tokenizer
