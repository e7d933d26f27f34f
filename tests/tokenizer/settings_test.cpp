// tokenizer_config.json and its neighbours as programs publish them: keys that agree with
// tokenizer.json are read over, keys that make other ids for transformers are refused by name.
#include <catch2/catch.hpp>
#include <string>

#include "folder.hpp"

using namespace sinkproof;
using nlohmann::json;
using test::byte_tokenizer;

namespace {

constexpr const char* kQwen =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char* kSign = "\u2581";

// A tokenizer.json in this style, its tokens those of byte_tokenizer.
json tokenizer_of(const std::string& style) {
  json made = byte_tokenizer();
  if (style == "neox") made["normalizer"] = {{"type", "NFC"}};
  if (style == "prefixed") made["pre_tokenizer"]["add_prefix_space"] = true;
  if (style.starts_with("split") || style.starts_with("qwen")) {
    const json pattern = style == "split" ? json{{"String", " "}} : json{{"Regex", kQwen}};
    const char* behavior = style == "qwen removed" ? "Removed" : "Isolated";
    const json split = {{"type", "Split"},
                        {"pattern", pattern},
                        {"behavior", behavior},
                        {"invert", style == "qwen inverted"}};
    if (style != "qwen plain") made["normalizer"] = {{"type", "NFC"}};
    json bytes = made["pre_tokenizer"];
    bytes["use_regex"] = false;
    bytes["add_prefix_space"] = style == "qwen prefixed";
    made["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
  }
  if (style == "bert" || style == "bert cased") {
    const bool lower = style == "bert";
    made["normalizer"] = {{"type", "BertNormalizer"},
                          {"clean_text", true},
                          {"handle_chinese_chars", true},
                          {"strip_accents", nullptr},
                          {"lowercase", lower}};
    made["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  }
  if (style.starts_with("llama") && style != "llama 2") {
    const char* scheme = style == "llama always"  ? "always"
                         : style == "llama never" ? "never"
                                                  : "first";
    made["pre_tokenizer"] = {{"type", "Metaspace"},
                             {"replacement", style == "llama sign" ? "_" : kSign},
                             {"prepend_scheme", scheme},
                             {"split", style == "llama split"}};
  }
  if (style == "llama 2") {
    const json prepend = {{"type", "Prepend"}, {"prepend", kSign}};
    const json replace = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSign}};
    made["normalizer"] = {{"type", "Sequence"}, {"normalizers", {prepend, replace}}};
    made["pre_tokenizer"] = nullptr;
  }
  if (style == "with bos") {
    made["post_processor"] = {
        {"type", "TemplateProcessing"},
        {"single",
         {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
          {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {256}}, {"tokens", {"<s>"}}}}}}};
  }
  return made;
}

// "" where it is read.
std::string refusal(const json& tokenizer_json, const json& settings,
                    const std::string& file = "tokenizer_config.json") {
  const test::Folder folder(tokenizer_json.dump());
  folder.write(file, settings.dump());
  const auto read = folder.read();
  return read ? "" : read.error().code + " " + read.error().where + ": " + read.error().what;
}

struct Published {
  const char* style;
  const char* settings;
};

// What published folders have, without their chat templates.
constexpr Published kPublished[] = {
    {"gpt2", R"({"model_max_length": 1024})"},
    {"gpt2", R"({"add_bos_token": false, "add_prefix_space": false, "bos_token": {"__type":
        "AddedToken", "content": "<s>", "lstrip": false, "normalized": true, "rstrip": false,
        "single_word": false}, "eos_token": "<s>", "errors": "replace", "pad_token": null,
        "name_or_path": "gpt2", "special_tokens_map_file": null, "tokenizer_class": "GPT2Tokenizer",
        "unk_token": "<s>"})"},
    {"neox", R"({"unk_token": "<s>", "bos_token": "<s>", "eos_token": "<s>",
        "add_prefix_space": false, "model_max_length": 1000000000000000019884624838656,
        "special_tokens_map_file": "/admin/home/map.json", "tokenizer_class":
        "GPTNeoXTokenizer", "clean_up_tokenization_spaces": true})"},
    {"bert", R"({"do_lower_case": true, "model_max_length": 512})"},
    {"bert cased", R"({"do_lower_case": false, "model_max_length": 512})"},
    {"bert", R"({"added_tokens_decoder": {"256": {"content": "<s>", "lstrip": false, "normalized":
        false, "rstrip": false, "single_word": false, "special": true}}, "cls_token": "<s>",
        "clean_up_tokenization_spaces": true, "do_basic_tokenize": true, "do_lower_case": true,
        "mask_token": "[MASK]", "model_max_length": 512, "never_split": null, "pad_token": "[PAD]",
        "sep_token": "[SEP]", "strip_accents": null, "tokenize_chinese_chars": true,
        "tokenizer_class": "BertTokenizer", "unk_token": "[UNK]"})"},
    {"qwen", R"({"add_bos_token": false, "add_prefix_space": false, "additional_special_tokens":
        ["<|im_start|>", "<|im_end|>"], "bos_token": null, "chat_template": "{{ x }}",
        "clean_up_tokenization_spaces": false, "eos_token": "<s>", "errors": "replace",
        "model_max_length": 32768, "pad_token": "<s>", "split_special_tokens": false,
        "tokenizer_class": "Qwen2Tokenizer", "unk_token": null})"},
    {"split", R"({"bos_token": "<s>", "clean_up_tokenization_spaces": true, "eos_token": "<s>",
        "model_input_names": ["input_ids", "attention_mask"], "model_max_length": 131072,
        "tokenizer_class": "PreTrainedTokenizerFast"})"},
    {"llama", R"({"add_bos_token": true, "add_eos_token": false, "add_prefix_space": null,
        "additional_special_tokens": [], "bos_token": "<s>", "eos_token": "<s>", "legacy": false,
        "pad_token": null, "sp_model_kwargs": {}, "spaces_between_special_tokens": false,
        "tokenizer_class": "LlamaTokenizer", "unk_token": "<s>", "use_default_system_prompt":
        false})"},
    {"llama always", R"({"legacy": true, "tokenizer_class": "LlamaTokenizerFast"})"},
    {"llama 2", R"({"add_prefix_space": true, "legacy": false,
        "tokenizer_class": "LlamaTokenizer"})"},
    {"llama", R"({"tokenizer_class": "LlamaTokenizer"})"},
    {"llama never", R"({"add_prefix_space": false, "tokenizer_class": "LlamaTokenizer"})"},
    {"llama 2", R"({"tokenizer_class": "LlamaTokenizerFast"})"},
    {"qwen", R"({"tokenizer_class": "Qwen2TokenizerFast"})"},
    {"qwen prefixed", R"({"add_prefix_space": true, "tokenizer_class": "Qwen2Tokenizer"})"},
    {"prefixed", R"({"add_prefix_space": true, "tokenizer_class": "GPT2TokenizerFast"})"},
    {"prefixed", R"({"tokenizer_class": "PreTrainedTokenizerFast"})"},
    {"with bos", R"({"add_bos_token": true, "bos_token": "<s>"})"},
    {"with bos", R"({"add_bos_token": false, "bos_token": "<s>"})"},
};

struct Refused {
  const char* style;
  const char* settings;
  const char* said;
};

constexpr Refused kRefused[] = {
    {"bert", R"({"do_lower_case": false})",
     "key do_lower_case is false, but tokenizer.json gives true"},
    {"bert cased", R"({"do_lower_case": true})",
     "key do_lower_case is true, but tokenizer.json gives false"},
    {"gpt2", R"({"do_lower_case": true})", "key do_lower_case is true, but"},
    {"bert", R"({"strip_accents": false})",
     "key strip_accents is false, but tokenizer.json gives true"},
    {"bert cased", R"({"strip_accents": true})", "key strip_accents is true, but"},
    {"bert", R"({"tokenize_chinese_chars": false})", "key tokenize_chinese_chars is false, but"},
    {"bert", R"({"do_lower_case": "yes"})", "key do_lower_case is \"yes\", not true or false"},
    {"bert", R"({"do_lower_case": 1.5})", "key do_lower_case is 1.5, not true or false"},
    {"gpt2", R"({"add_prefix_space": true})",
     "key add_prefix_space is true, but tokenizer.json gives false"},
    {"prefixed", R"({"add_prefix_space": false})",
     "key add_prefix_space is false, but tokenizer.json gives true"},
    {"llama", R"({"add_prefix_space": false})", "key add_prefix_space is false, but"},
    {"llama 2", R"({"add_prefix_space": false})", "key add_prefix_space is false, but"},
    {"llama", R"({"legacy": true, "tokenizer_class": "LlamaTokenizer"})",
     "key legacy is true, but tokenizer.json gives false"},
    {"llama always", R"({"legacy": false, "tokenizer_class": "LlamaTokenizer"})",
     "key legacy is false, but"},
    {"with bos", R"({"add_bos_token": true, "bos_token": "<t>"})",
     "key add_bos_token is true and bos_token \"<t>\", but"},
    {"split", R"({"tokenizer_class": "LlamaTokenizerFast"})",
     "key tokenizer_class is \"LlamaTokenizerFast\", for which transformers makes Metaspace or "
     "Prepend Replace, but tokenizer.json has NFC Split pattern={\"String\":\" \"} ByteLevel "
     "use_regex=false"},
    {"llama split", R"({"tokenizer_class": "LlamaTokenizer"})", "key tokenizer_class is"},
    {"llama sign", R"({"tokenizer_class": "LlamaTokenizer"})", "key tokenizer_class is"},
    {"llama always", R"({"tokenizer_class": "LlamaTokenizer"})", "key legacy is absent, which"},
    {"llama never", R"({"tokenizer_class": "LlamaTokenizer"})", "key add_prefix_space is absent"},
    {"split", R"({"tokenizer_class": "Qwen2Tokenizer"})", "key tokenizer_class is"},
    {"qwen plain", R"({"tokenizer_class": "Qwen2Tokenizer"})", "key tokenizer_class is"},
    {"qwen removed", R"({"tokenizer_class": "Qwen2Tokenizer"})", "key tokenizer_class is"},
    {"qwen inverted", R"({"tokenizer_class": "Qwen2Tokenizer"})", "key tokenizer_class is"},
    {"qwen prefixed", R"({"tokenizer_class": "Qwen2Tokenizer"})", "key add_prefix_space is absent"},
    {"prefixed", R"({"tokenizer_class": "GPT2Tokenizer"})", "key add_prefix_space is absent"},
    {"prefixed", R"({"add_prefix_space": null, "tokenizer_class": "GPT2TokenizerFast"})",
     "key add_prefix_space is absent"},
    {"split", R"({"tokenizer_class": "GPT2TokenizerFast"})", "key tokenizer_class is"},
    {"neox", R"({"tokenizer_class": "GPT2Tokenizer"})", "key tokenizer_class is"},
    {"gpt2", R"({"tokenizer_class": "BertTokenizer"})", "key tokenizer_class is"},
    {"gpt2", R"({"added_tokens_decoder": {"256": {"content": "<s>", "lstrip": true}}})",
     "key added_tokens_decoder: \"<s>\": lstrip is true, but tokenizer.json gives false"},
    {"gpt2", R"({"added_tokens_decoder": {"255": {"content": "<s>"}}})",
     "key added_tokens_decoder: \"<s>\" is \"255\", but tokenizer.json gives 256"},
    {"gpt2", R"({"split_special_tokens": true})", "key split_special_tokens is true"},
    {"gpt2", R"({"fix_mistral_regex": true})", "key fix_mistral_regex is true"},
    {"gpt2", R"({"auto_map": {"AutoTokenizer": ["x.X", null]}})", "key auto_map"},
    {"gpt2", R"({"unheard_of": 1})", "key \"unheard_of\" "},
};

std::string code_of_text(const test::Folder& folder, const std::string& text) {
  const auto read = folder.read();
  REQUIRE(read.has_value());
  const auto ids = read->encode(text, tokenizer::Bos::kWithout);
  return ids ? "encoded" : ids.error().code;
}

}  // namespace

TEST_CASE("Settings that published tokenizers have are read over") {
  for (const Published& one : kPublished) {
    INFO(one.settings);
    CHECK(refusal(tokenizer_of(one.style), json::parse(one.settings)) == "");
  }
}

TEST_CASE("Settings that make other ids for transformers are refused") {
  for (const Refused& one : kRefused) {
    INFO(one.style << " " << one.settings);
    const std::string found = refusal(tokenizer_of(one.style), json::parse(one.settings));
    INFO(found);
    CHECK(found.starts_with("SP2213"));
    CHECK(found.find("tokenizer_config.json: " + std::string(one.said)) != std::string::npos);
    CHECK(found.find("; ") != std::string::npos);
  }
}

TEST_CASE("A text must not hold a token that tokenizer.json does not list") {
  const auto code = [](const std::string& file, const char* settings, const std::string& text) {
    const test::Folder folder(byte_tokenizer().dump());
    folder.write(file, settings);
    return code_of_text(folder, text);
  };
  const std::string config = "tokenizer_config.json";
  CHECK(code(config, R"({"pad_token": "<pad>"})", "a<pad") == "encoded");
  CHECK(code(config, R"({"pad_token": "<pad>"})", "a<pad>") == "SP2213");
  CHECK(code(config, R"({"pad_token": "<s>"})", "a<s>") == "encoded");
  CHECK(code(config, R"({"image_token": {"content": "<i>"}})", "<i>") == "SP2213");
  CHECK(code(config, R"({"additional_special_tokens": ["<a>", {"content": "<b>"}]})", "<b>") ==
        "SP2213");
  CHECK(code(config, R"({"extra_special_tokens": {"x_token": "<c>"}})", "<c>") == "SP2213");
  CHECK(code(config, R"({"added_tokens_decoder": {"300": {"content": "<d>"}}})", "<d>") ==
        "SP2213");
  CHECK(code("special_tokens_map.json", R"({"mask_token": "<m>"})", "<m>") == "SP2213");
  CHECK(code("special_tokens_map.json", R"({"additional_special_tokens": ["<m>"]})", "<m>") ==
        "SP2213");
  CHECK(code("added_tokens.json", R"({"<n>": 300, "<s>": 256})", "<n>") == "SP2213");
  CHECK(code("added_tokens.json", R"({"<n>": 300, "<s>": 256})", "<s>") == "encoded");
  json many = json::object();
  for (int i = 0; i < 256; ++i) many["<" + std::to_string(i) + ">"] = 300 + i;
  CHECK(refusal(byte_tokenizer(), many, "added_tokens.json") == "");
  many["<256>"] = 556;
  CHECK(refusal(byte_tokenizer(), many, "added_tokens.json").starts_with("SP2213"));
}

TEST_CASE("Prepend reads some texts otherwise than LlamaTokenizer") {
  const auto code = [](const char* style, const char* name, const std::string& text) {
    json made = tokenizer_of(style);
    made["model"]["unk_token"] = "a";
    const test::Folder folder(made.dump());
    folder.write("tokenizer_config.json", json{{"tokenizer_class", name}}.dump());
    return code_of_text(folder, text);
  };
  for (const char* text : {" a", "\u2581a", "a<s>a", "<s>a", "a a<s>"}) {
    INFO(text);
    CHECK(code("llama 2", "LlamaTokenizer", text) == "SP2213");
    CHECK(code("llama 2", "PreTrainedTokenizerFast", text) == "encoded");
    CHECK(code("llama", "LlamaTokenizer", text) == "encoded");
  }
  for (const char* text : {"", "a", "a b ", "a  b"}) {
    CHECK(code("llama 2", "LlamaTokenizer", text) == "encoded");
  }
}
