#include "tokenizer/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tokenizer/classes.hpp"

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

template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

std::string shown(const Value& value) {
  const std::string text = value.is_binary()
                               ? std::string(value.get_binary().begin(), value.get_binary().end())
                               : value.dump(-1, ' ', true, Value::error_handler_t::replace);
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
        tokens_(field_or_null(document, "added_tokens")),
        steps_(steps_in(document)) {}

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

  exact::Result<Barred> result() && {
    if (barred_.unlisted.size() > kMostUnlisted) {
      refuse("names more than 256 tokens that tokenizer.json does not have", kSave);
    }
    if (refusal_) return tl::make_unexpected(*refusal_);
    return std::move(barred_);
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
    } else if (key != "legacy") {  // that is a key of LlamaTokenizer
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
    const std::string steps = described(steps_);
    std::string made;
    for (const Class* one : classes_named(value.get<std::string>())) {
      if (one->steps == steps) return check_defaults(settings, *one);
      made += (made.empty() ? "" : " or ") + std::string(one->steps);
    }
    if (made.empty()) return;
    refuse("key tokenizer_class is " + shown(value) + ", for which transformers makes " + made +
               ", but tokenizer.json has " +
               (steps.empty() ? "no such steps" : steps.substr(0, 200)),
           "set it to \"PreTrainedTokenizerFast\", with which transformers takes tokenizer.json as "
           "it is, or give token ids instead of text");
  }

  // What keys of the class mean that are absent, and legacy: there the scheme is "always" where it
  // is true, else "first".
  void check_defaults(const Value& settings, const Class& one) {
    const auto absent = [&](const char* key) { return field_or_null(settings, key).is_null(); };
    const auto default_of = [&](const char* key, bool flag, bool other) {
      if (flag == other) return;
      refuse("key " + std::string(key) + " is absent, which means " + (flag ? "true" : "false") +
                 " for " + std::string(one.name) + ", but tokenizer.json gives " +
                 (other ? "true" : "false"),
             kSame);
    };
    if (one.adds_space && absent("add_prefix_space")) {
      default_of("add_prefix_space", *one.adds_space, prepends());
    }
    barred_.prepended = one.prepends_more;
    if (one.name != "LlamaTokenizer") return;
    for (const Value* step : steps_of("Metaspace")) {
      const Value& scheme = field_or_null(*step, "prepend_scheme");
      if (scheme == Value("never")) continue;
      const bool other = scheme != Value("first");
      const bool legacy = field_or_null(settings, "legacy") == Value(true);
      absent("legacy") ? default_of("legacy", false, other) : check_flag("legacy", legacy, other);
    }
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
    std::vector<std::string>& unlisted = barred_.unlisted;
    if (text.empty() || added_.vocabulary().id_of(text) || unlisted.size() > kMostUnlisted) return;
    if (std::find(unlisted.begin(), unlisted.end(), text) == unlisted.end()) {
      unlisted.push_back(text);
    }
  }

  const AddedTokens& added_;
  const std::vector<Id>& prefix_;
  fs::path folder_;
  const Value& tokens_;
  std::vector<const Value*> steps_;
  std::string where_;
  Barred barred_;
  std::optional<exact::Error> refusal_;
};

}  // namespace

exact::Result<Barred> check_settings(const fs::path& folder, const Value& document,
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

exact::Result<void> refuse_barred(std::string_view text, const Barred& barred,
                                  const AddedTokens& added) {
  const auto refuse = [](const std::string& what) { return exact::fail("SP2213", "text", what); };
  for (const std::string& token : barred.unlisted) {
    if (text.find(token) == std::string_view::npos) continue;
    return refuse("holds " + shown(Value(token)) +
                  ", which transformers makes one token by tokenizer_config.json, "
                  "special_tokens_map.json or added_tokens.json, but tokenizer.json does not; save "
                  "the tokenizer again with save_pretrained, or leave it out of the text");
  }
  if (!barred.prepended) return {};
  constexpr const char* kSign =
      " which tokenizer.json puts a sign that transformers' LlamaTokenizer does not; leave it out "
      "of the text, or set "
      "tokenizer_class to \"PreTrainedTokenizerFast\", with which transformers takes "
      "tokenizer.json "
      "as it is";
  if (text.starts_with(' ') || text.starts_with("\u2581")) {
    return refuse(std::string("begins with a space, before") + kSign);
  }
  for (const Token& token : added.vocabulary().tokens()) {
    if (text.find(token.content) == std::string_view::npos) continue;
    return refuse("holds " + shown(Value(token.content)) + ", after" + kSign);
  }
  return {};
}

}  // namespace sinkproof::tokenizer
