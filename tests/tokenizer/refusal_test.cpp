// Folders nobody should have to trust: each change to a good tokenizer.json gets its code.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "folder.hpp"

using namespace sinkproof;
using nlohmann::json;
using test::byte_tokenizer;
using test::code_of;

namespace {

std::string code_of_text(const std::string& text) {
  const auto read = test::Folder(text).read();
  return read ? "accepted" : read.error().code;
}

struct Lie {
  const char* pointer;  // into the tokenizer.json
  json value;
  const char* code;
};

// The tokenizer with `depth` Sequences, each within another, as the field `part`.
std::string nested(const std::string& part, const std::string& list, int depth) {
  json without = byte_tokenizer();
  without.erase(part);
  std::string text = without.dump();
  text.pop_back();
  text += ",\"" + part + "\":";
  for (int i = 0; i < depth; ++i) text += R"({"type":"Sequence",")" + list + R"(":[)";
  for (int i = 0; i < depth; ++i) text += "]}";
  return text + "}";
}

json split(const json& pattern) {
  return {{"type", "Split"}, {"pattern", pattern}, {"behavior", "Isolated"}, {"invert", false}};
}

}  // namespace

TEST_CASE("The tokenizer the lies are told about is a good one") {
  CHECK(code_of(byte_tokenizer()) == "accepted");
}

TEST_CASE("One false field, one code") {
  const json space = {{"type", "Metaspace"}, {"replacement", "ab"}};
  const std::vector<Lie> lies = {
      {"/model", nullptr, "SP2203"},
      {"/model", 7, "SP2203"},
      {"/model/type", "WordPiece", "SP2203"},  // merges
      {"/model/type", "Unigram", "SP2203"},
      {"/model/dropout", 0.1, "SP2203"},
      {"/model/end_of_word_suffix", "</w>", "SP2203"},
      {"/model/byte_fallback", 1, "SP2202"},
      {"/model/cache_capacity", 1, "SP2203"},
      {"/model/fuse_unk", "yes", "SP2202"},
      {"/model/unk_token", 3, "SP2202"},
      {"/model/vocab", json::array(), "SP2202"},
      {"/model/vocab", json::object(), "SP2202"},
      {"/model/vocab/a", -1, "SP2204"},
      {"/model/vocab/a", 98, "SP2204"},
      {"/model/vocab/a", 2147483648, "SP2204"},
      {"/model/vocab/a", 97.0, "SP2204"},
      {"/model/vocab/a", "97", "SP2204"},
      {"/model/merges", nullptr, "SP2202"},
      {"/model/merges", {"a  b"}, "SP2205"},
      {"/model/merges", {"ab"}, "SP2205"},
      {"/model/merges", {"a b"}, "SP2205"},  // ab is not a token
      {"/model/merges", {"zz a"}, "SP2205"},
      {"/model/merges", {" a"}, "SP2205"},  // would make a of a, forever
      {"/model/merges", json::array({{"", "a"}}), "SP2205"},
      {"/model/merges", {{"a", "b", "c"}}, "SP2205"},
      {"/model/merges", json::array({{"a", 1}}), "SP2205"},
      {"/added_tokens", 3, "SP2202"},
      {"/added_tokens", {3}, "SP2202"},
      {"/added_tokens/0/id", nullptr, "SP2204"},
      {"/added_tokens/1", test::added_token("<s>", 256), "SP2204"},
      {"/added_tokens/1", test::added_token("<x>", 256), "SP2204"},
      {"/added_tokens/1", test::added_token("<x>", 258), "SP2204"},  // 257 is the next
      {"/added_tokens/0/id", 257, "SP2204"},
      {"/added_tokens/0/id", 97, "SP2204"},
      {"/added_tokens/1", test::added_token("a", 257), "SP2204"},
      {"/added_tokens/1", test::added_token("", 257), "SP2204"},
      {"/added_tokens/1", test::added_token(std::string(4097, 'x'), 257), "SP2204"},
      {"/added_tokens/0/lstrip", 1, "SP2202"},
      {"/added_tokens/0/rstrip", nullptr, "SP2202"},
      {"/added_tokens/0/extra", false, "SP2203"},
      {"/normalizer", "NFC", "SP2202"},
      {"/normalizer", {{"type", "Precompiled"}}, "SP2203"},
      {"/normalizer", {{"type", "Prepend"}}, "SP2202"},
      {"/normalizer", {{"type", "Sequence"}}, "SP2202"},
      {"/normalizer",
       {{"type", "Replace"}, {"pattern", {{"String", ""}}}, {"content", "x"}},
       "SP2202"},
      {"/normalizer",
       {{"type", "Replace"}, {"pattern", {{"Regex", "("}}}, {"content", "x"}},
       "SP2206"},
      {"/normalizer",
       {{"type", "Sequence"}, {"normalizers", json(65, {{"type", "NFC"}})}},
       "SP2202"},
      {"/normalizer", {{"type", "NFC"}, {"form", 1}}, "SP2203"},
      {"/normalizer", {{"type", "Strip"}, {"strip_left", true}}, "SP2202"},
      {"/normalizer", {{"type", "Nmt"}}, "SP2203"},
      {"/normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}}, "SP2202"},
      {"/normalizer", {{"type", "Sequence"}, {"normalizers", json::array()}, {"x", 1}}, "SP2203"},
      {"/pre_tokenizer", {{"type", "UnicodeScripts"}}, "SP2203"},
      {"/pre_tokenizer", {{"type", "Whitespace"}, {"pattern", "x"}}, "SP2203"},
      {"/pre_tokenizer", {{"type", "Punctuation"}, {"behavior", nullptr}}, "SP2202"},
      {"/pre_tokenizer", {{"type", "Punctuation"}, {"behavior", "isolated"}}, "SP2202"},
      {"/pre_tokenizer",
       {{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", false}},
       "SP2202"},
      {"/pre_tokenizer", {{"type", "ByteLevel"}}, "SP2202"},
      {"/pre_tokenizer", space, "SP2202"},
      {"/pre_tokenizer", split({{"Regex", "(?R)"}}), "SP2206"},
      {"/pre_tokenizer", split({{"Glob", "*"}}), "SP2202"},
      {"/pre_tokenizer/add_prefix_space", "no", "SP2202"},
      {"/decoder", {{"type", "WordPiece"}}, "SP2202"},
      {"/decoder", {{"type", "CTC"}}, "SP2203"},
      {"/decoder", {{"type", "Strip"}, {"content", " "}, {"start", -1}}, "SP2202"},
      {"/decoder", {{"type", "Metaspace"}, {"replacement", ""}}, "SP2202"},
      {"/post_processor", {{"type", "TemplateProcessing"}, {"single", json::array()}}, "SP2202"},
      {"/post_processor", {{"type", "BertProcessing"}, {"cls", {"[CLS]", 999}}}, "SP2211"},
      {"/post_processor", {{"type", "BertProcessing"}, {"cls", {"[CLS]", -1}}}, "SP2204"},
      {"/post_processor", {{"type", "BertProcessing"}}, "SP2202"},
      {"/version", "2.0", "SP2203"},
      {"/version", nullptr, "SP2203"},
      {"/tokenizer_class", "GPT2", "SP2203"},
      {"/truncation", {{"max_length", 128}}, "SP2203"},
      {"/padding", {{"strategy", {{"Fixed", 128}}}, {"pad_to_multiple_of", nullptr}}, "SP2203"},
      {"/padding", {{"strategy", "BatchLongest"}, {"pad_to_multiple_of", 8}}, "SP2203"},
      {"/padding", {{"strategy", "BatchLongest"}, {"pad_to_multiple_of", nullptr}}, "accepted"},
  };
  for (const Lie& lie : lies) {
    json made = byte_tokenizer();
    made[json::json_pointer(lie.pointer)] = lie.value;
    CAPTURE(lie.pointer, lie.value.dump().substr(0, 100));
    CHECK(code_of(made) == lie.code);
  }
}

TEST_CASE("Sequences within sequences end at a depth no stack notices") {
  for (const auto& [part, list] :
       std::vector<std::pair<std::string, std::string>>{{"normalizer", "normalizers"},
                                                        {"pre_tokenizer", "pretokenizers"},
                                                        {"post_processor", "processors"},
                                                        {"decoder", "decoders"}}) {
    CAPTURE(part);
    CHECK(code_of_text(nested(part, list, 20)) == "accepted");
    CHECK(code_of_text(nested(part, list, 10000)) == "SP2201");
  }
}

TEST_CASE("A template is read only where its tokens are tokens") {
  const auto code = [](const json& ids) {
    json made = byte_tokenizer();
    made["post_processor"] = {
        {"type", "TemplateProcessing"},
        {"single", {{{"SpecialToken", {{"id", "<s>"}}}}, {{"Sequence", {{"id", "A"}}}}}},
        {"special_tokens", {{"<s>", {{"ids", ids}}}}}};
    return code_of(made);
  };
  CHECK(code({256}) == "accepted");
  CHECK(code({257}) == "SP2211");
  CHECK(code({-1}) == "SP2204");
  CHECK(code(nullptr) == "SP2202");
}

TEST_CASE("A merge that stands there twice is refused, however it is written") {
  json made = byte_tokenizer();
  made["model"]["vocab"]["ab"] = 300;
  made["added_tokens"] = nullptr;
  made["model"]["merges"] = json::array({"a b"});
  CHECK(code_of(made) == "accepted");
  made["model"]["merges"].push_back({"a", "b"});
  CHECK(code_of(made) == "SP2205");
}

TEST_CASE("Text that has no one reading as JSON is refused") {
  const std::string good = byte_tokenizer().dump();
  CHECK(code_of_text("") == "SP2201");
  CHECK(code_of_text(good.substr(0, good.size() - 1)) == "SP2201");
  CHECK(code_of_text(good + "1") == "SP2201");
  CHECK(code_of_text(good + std::string(1, '\0')) == "SP2201");
  const auto with_vocab = [](const std::string& entry) {
    return code_of_text(R"({"model":{"type":"BPE","merges":[],"vocab":{)" + entry + "}}}");
  };
  CHECK(with_vocab(R"("a":0)") == "accepted");
  CHECK(with_vocab(R"("a":0,"a":1)") == "SP2201");
  CHECK(with_vocab(R"("a":0,"\u0061":1)") == "SP2201");
  CHECK(with_vocab(R"("\ud800":0)") == "SP2201");
  CHECK(with_vocab("\"\xED\xA0\x80\":0") == "SP2201");
  CHECK(with_vocab(R"("":0)") == "SP2204");
  CHECK(code_of_text(std::string(1 << 20, '[')) == "SP2201");
}

TEST_CASE("A Git LFS pointer in place of tokenizer.json is named, and how to get the file") {
  const auto read = test::Folder(
                        "version https://git-lfs.github.com/spec/v1\n"
                        "oid sha256:4d7a\nsize 17518525\n")
                        .read();
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == "SP2201");
  CHECK(read.error().what.find("Git LFS pointer") != std::string::npos);
  CHECK(read.error().what.find("`git lfs pull`") != std::string::npos);
}

TEST_CASE("prepend_scheme \"first\" needs a normalizer that leaves the beginning of a text") {
  const auto code = [](const json& normalizer) {
    json made = byte_tokenizer();
    made["normalizer"] = normalizer;
    made["pre_tokenizer"] = {
        {"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "first"}};
    return code_of(made);
  };
  const auto replace = [](const json& pattern, const char* content) {
    return json{{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
  };
  CHECK(code(nullptr) == "accepted");
  CHECK(code({{"type", "NFC"}}) == "accepted");
  CHECK(code(replace({{"String", " "}}, "_")) == "accepted");
  CHECK(code(replace({{"String", " "}}, "")) == "SP2203");
  CHECK(code(replace({{"String", "ab"}}, "_")) == "SP2203");
  CHECK(code(replace({{"Regex", "a"}}, "_")) == "SP2203");
  CHECK(code({{"type", "StripAccents"}}) == "SP2203");
  CHECK(code({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}) == "SP2203");
  CHECK(code({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}}) == "accepted");
}

TEST_CASE("A folder without the file, and config files that are none") {
  CHECK(tokenizer::Tokenizer::read("/nonexistent/folder").error().code == "SP0201");
  const auto bos = [](const std::string& name, const std::string& text) {
    const test::Folder folder(byte_tokenizer().dump());
    folder.write(name, text);
    const auto read = folder.read();
    if (!read) return "not read: " + read.error().code;
    const auto ids = read->encode("a", tokenizer::Bos::kWith);
    CHECK(read->encode("a", tokenizer::Bos::kWithout).has_value());
    return ids ? "encoded" : ids.error().code;
  };
  CHECK(bos("tokenizer_config.json", R"({"bos_token": "<s>"})") == "encoded");
  CHECK(bos("tokenizer_config.json", R"({"bos_token": "<t>"})") == "SP2210");
  CHECK(bos("tokenizer_config.json", "{") == "not read: SP2201");
  CHECK(bos("tokenizer_config.json", "[]") == "not read: SP2202");
  CHECK(bos("special_tokens_map.json", "{") == "not read: SP2201");
  CHECK(bos("special_tokens_map.json", R"({"bos_token": {"content": "<s>"}})") == "encoded");
  CHECK(bos("special_tokens_map.json", R"({"bos_token": "<t>"})") == "SP2210");
  CHECK(bos("config.json", R"({"bos_token_id": 300})") == "SP2211");
  CHECK(bos("config.json", R"({"bos_token_id": -1})") == "SP2204");
  CHECK(bos("config.json", R"({"bos_token_id": [256]})") == "SP2204");
  CHECK(bos("config.json", "[]") == "SP2210");
}

TEST_CASE("Which token begins a text is what both files say") {
  struct Case {
    const char* config;  // config.json, and so on
    const char* settings;
    const char* map;
    std::string found;  // the BOS, or a code
  };
  const Case cases[] = {
      {R"({"bos_token_id": 97})", "{}", "{}", "97"},
      {R"({"bos_token_id": 97})", "{}", R"({"bos_token": "<s>"})", "256"},
      {R"({"bos_token_id": 97})", R"({"bos_token": null})", R"({"bos_token": "<s>"})", "256"},
      {R"({"bos_token_id": 97})", R"({"bos_token": "<s>"})", R"({"bos_token": "<s>"})", "256"},
      {R"({"bos_token_id": 97})", R"({"bos_token": "<s>"})", R"({"eos_token": "b"})", "256"},
      {"{}", R"({"bos_token": "b"})", R"({"bos_token": "<s>"})", "SP2210"},
      {"{}", R"({"bos_token": {"content": "<s>"}})", R"({"bos_token": {"content": "b"}})",
       "SP2210"}};
  for (const Case& one : cases) {
    INFO(one.settings << " " << one.map);
    const test::Folder folder(byte_tokenizer().dump());
    folder.write("config.json", one.config);
    folder.write("tokenizer_config.json", one.settings);
    folder.write("special_tokens_map.json", one.map);
    const auto read = folder.read();
    REQUIRE(read.has_value());
    const auto ids = read->encode("", tokenizer::Bos::kWith);
    CHECK((ids ? std::to_string(ids->front()) : ids.error().code) == one.found);
    CHECK(read->encode("a", tokenizer::Bos::kWithout).has_value());
  }
  // Where transformers puts it there itself, the post-processor must agree with it.
  json made = byte_tokenizer();
  made["post_processor"] = {{"type", "BertProcessing"}, {"cls", {"a", 97}}, {"sep", {"a", 97}}};
  const auto code = [&made](const char* bos) {
    const test::Folder folder(made.dump());
    folder.write("tokenizer_config.json", R"({"add_bos_token": true})");
    folder.write("special_tokens_map.json", bos);
    const auto read = folder.read();
    return read ? "read" : read.error().code;
  };
  CHECK(code("{}") == "read");
  CHECK(code(R"({"bos_token": "<s>"})") == "SP2213");
}

TEST_CASE("Steps that make a text grow without end are stopped", "[seconds]") {
  const auto code = [](const char* part, const json& steps) {
    json made = byte_tokenizer();
    made[part] = steps;
    const auto read = test::Folder(made.dump()).read();
    REQUIRE(read.has_value());
    const auto ids = read->encode("aaaa", tokenizer::Bos::kWithout);
    return ids ? "encoded" : ids.error().code;
  };
  const json doubling = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  CHECK(code("normalizer", {{"type", "Sequence"}, {"normalizers", json(60, doubling)}}) ==
        "SP2208");
  const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", false}};
  CHECK(code("pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", json(60, bytes)}}) ==
        "SP2208");
  json made = byte_tokenizer();
  const json growing = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(1 << 20, 'a')}};
  made["decoder"] = {{"type", "Sequence"}, {"decoders", json(3, growing)}};
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  CHECK(read->text_of('a').error().code == "SP2208");
}
