// Small tokenizers and what the npm package tokenizers 0.23.2 (Hugging Face's library) makes of
// texts with them: every list of ids here is its answer. npm_test.py compares files that are in
// use.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "folder.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace sinkproof;
using namespace std::string_literals;
using nlohmann::json;
using Ids = std::vector<tokenizer::Id>;

namespace {

json byte_fallback_with(const char* settings) {
  json made = {{"model", {{"type", "BPE"}, {"merges", json::array()}, {"unk_token", "<unk>"}}}};
  made["model"]["byte_fallback"] = true;
  made["model"]["vocab"] = {{"<unk>", 0},  {"a", 1},      {"b", 2},
                            {"<0xC3>", 3}, {"<0xA9>", 4}, {"<0x78>", 5}};
  made["model"].merge_patch(json::parse(settings));
  return made;
}

json word_piece_with(const char* parts) {
  const std::vector<std::string> tokens = {
      "[UNK]",  "a",      "b",        "##b", "##bc", "ab",    "e", "\u00E9", ".", "!",  "b_c",
      "\u6771", "\u4EAC", "##\u4EAC", "x",   "##",   "[CLS]", "-", "\u00C9", "c", "##c"};
  json made = {{"model",
                {{"type", "WordPiece"},
                 {"unk_token", "[UNK]"},
                 {"continuing_subword_prefix", "##"},
                 {"max_input_chars_per_word", 5}}}};
  for (std::size_t i = 0; i < tokens.size(); ++i) made["model"]["vocab"][tokens[i]] = i;
  const json given = json::parse(parts);
  for (const auto& [part, value] : given.items()) {
    if (part == "model") {
      made[part].merge_patch(value);
    } else {
      made[part] = value;
    }
  }
  return made;
}

struct Answers {
  json document;
  std::vector<std::pair<std::string, Ids>> ids;
};

}  // namespace

TEST_CASE("Ids are those of Hugging Face's library") {
  const std::vector<Answers> known = {
      {byte_fallback_with(R"({"fuse_unk": true})"),
       {{"a\u00E9b"s, {1, 3, 4, 2}},
        {"y\u00E9"s, {3, 4, 0}},
        {"yza"s, {0, 1}},
        {"yxzx"s, {5, 5, 0}},
        {"a\u00E8\u00E9b"s, {1, 3, 4, 0, 2}}}},
      {byte_fallback_with(R"({"fuse_unk": false})"),
       {{"a\u00E9b"s, {1, 3, 4, 2}},
        {"y\u00E9"s, {3, 4, 0}},
        {"yza"s, {0, 0, 1}},
        {"yxzx"s, {5, 0, 5, 0}},
        {"a\u00E8\u00E9b"s, {1, 3, 4, 0, 2}}}},
      {word_piece_with(R"({"pre_tokenizer": {"type": "BertPreTokenizer"}})"),
       {{"ab"s, {5}},
        {"abbc"s, {5, 4}},
        {"abx"s, {0}},
        {"abbbb"s, {5, 3, 3, 3}},
        {"abbbbb"s, {0}},
        {"a.b a-!b"s, {1, 8, 2, 1, 17, 9, 2}},
        {"a\u00A0b\tc"s, {1, 2, 19}},
        {"##b"s, {0, 0, 2}},
        {"\u6771\u4EAC"s, {11, 13}},
        {""s, {}}}},
      {word_piece_with(R"({"model": {"max_input_chars_per_word": 2}})"),
       {{"ab"s, {5}}, {"abb"s, {0}}, {"\u6771\u4EAC"s, {11, 13}}, {"\u6771\u4EAC\u4EAC"s, {0}}}},
      {word_piece_with(R"({"model": {"continuing_subword_prefix": ""}})"),
       {{"abab"s, {5, 5}}, {"\u6771\u4EAC"s, {11, 12}}, {"xyz"s, {0}}}},
      {word_piece_with(R"({"pre_tokenizer": {"type": "Whitespace"}})"),
       {{"a.-b b_c"s, {1, 0, 2, 10}}, {"a..b"s, {1, 0, 2}}, {"\u00E9!"s, {7, 9}}, {"  a\n"s, {1}}}},
      {word_piece_with(R"({"pre_tokenizer": {"type": "WhitespaceSplit"}})"),
       {{"a.b b_c\u3000\u00E9"s, {0, 10, 7}}, {"  a\n"s, {1}}}},
      {word_piece_with(R"({"pre_tokenizer": {"type": "Punctuation"}})"),
       {{"a.b"s, {1, 8, 2}}, {"b_c"s, {2, 0, 19}}, {"a--b"s, {1, 17, 17, 2}}}},
      {word_piece_with(
           R"({"pre_tokenizer": {"type": "Punctuation", "behavior": "MergedWithPrevious"}})"),
       {{"a.b"s, {0, 2}}, {"a--b"s, {0, 17, 2}}}},
      {word_piece_with(R"({"pre_tokenizer": {"type": "Punctuation", "behavior": "Removed"}})"),
       {{"a.b"s, {1, 2}}, {"b_c"s, {2, 19}}}},
      {word_piece_with(
           R"({"normalizer": {"type": "StripAccents"}, "pre_tokenizer": {"type": "WhitespaceSplit"}})"),
       {{"e\u0301 \u00E9"s, {6, 7}}, {"\u0301a"s, {1}}, {"a\u0903b"s, {5}}}},
      {word_piece_with(
           R"({"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"}})"),
       {{"\u00C9AB \u00E9"s, {0, 6}},
        {"\u6771\u4EAC"s, {11, 12}},
        {"a\0b\uFFFD\u200Dc"s, {5, 20}},
        {"a\u0085b\u2028c"s, {5, 19}}}},
      {word_piece_with(
           R"({"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": false}, "pre_tokenizer": {"type": "BertPreTokenizer"}})"),
       {{"\u00C9AB \u00E9"s, {0, 7}},
        {"\u6771\u4EAC"s, {11, 12}},
        {"a\0b\uFFFD\u200Dc"s, {5, 20}},
        {"a\u0085b\u2028c"s, {5, 19}}}},
      {word_piece_with(
           R"({"normalizer": {"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false, "strip_accents": true, "lowercase": false}, "pre_tokenizer": {"type": "BertPreTokenizer"}})"),
       {{"\u00C9AB \u00E9"s, {0, 6}},
        {"\u6771\u4EAC"s, {11, 13}},
        {"a\0b\uFFFD\u200Dc"s, {0}},
        {"a\u0085b\u2028c"s, {1, 2, 19}}}},
      {word_piece_with(
           R"({"normalizer": {"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": true, "strip_accents": false, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"}})"),
       {{"\u00C9AB \u00E9"s, {0, 7}},
        {"\u6771\u4EAC"s, {11, 12}},
        {"a\0b\uFFFD\u200Dc"s, {0}},
        {"a\u0085b\u2028c"s, {1, 2, 19}}}},
  };
  for (const Answers& one : known) {
    json shown = one.document;
    shown["model"].erase("vocab");
    CAPTURE(shown.dump());
    const auto read = test::Folder(one.document.dump()).read();
    REQUIRE(read.has_value());
    for (const auto& [text, ids] : one.ids) {
      CAPTURE(text);
      CHECK(read->encode(text, tokenizer::Bos::kWithout) == ids);
    }
  }
}

TEST_CASE("Added tokens share white space as in Hugging Face's library") {
  json made = byte_fallback_with("{}");
  made["model"]["vocab"] = {{"a", 0}, {" ", 1}, {"x", 2}, {"<unk>", 3}, {"y", 4}};
  const auto ids = [&made](const std::string& text) {
    return *test::Folder(made.dump()).read()->encode(text, tokenizer::Bos::kWithout);
  };
  made["added_tokens"] = {test::added_token("  ", 5), test::added_token(" x", 6)};
  made["added_tokens"][0]["rstrip"] = true;
  CHECK(ids("   x") == Ids{5, 6});
  CHECK(ids("    x") == Ids{5, 5, 2});
  CHECK(ids("         ") == Ids{5, 5, 5, 5});
  made["added_tokens"][0]["lstrip"] = true;
  CHECK(ids("       ") == Ids{5});
  made["added_tokens"][0]["rstrip"] = false;
  CHECK(ids("     ") == Ids{5, 5, 1});
}

TEST_CASE("A character whose class depends on Unicode's version is refused where it matters") {
  const auto code = [](const json& made, const std::string& text) {
    const auto read = test::Folder(made.dump()).read();
    REQUIRE(read.has_value());
    const auto ids = read->encode(text, tokenizer::Bos::kWithout);
    return ids ? "encoded" : ids.error().code;
  };
  const json accents = word_piece_with(R"({"normalizer": {"type": "StripAccents"}})");
  CHECK(code(accents, "a\u0898") == "SP2212");  // a mark of Unicode 14
  CHECK(code(accents, "a\u0301") == "encoded");
  const json signs = word_piece_with(R"({"pre_tokenizer": {"type": "Punctuation"}})");
  CHECK(code(signs, "a\u2E5D") == "SP2212");  // a dash of Unicode 14
  CHECK(code(signs, "a\u2E3A") == "encoded");
  const json words = word_piece_with(R"({"pre_tokenizer": {"type": "Whitespace"}})");
  CHECK(code(words, "a\u1C89") == "SP2212");      // a letter of Unicode 16
  CHECK(code(words, "a\U00011F04") == "SP2212");  // a letter of Unicode 15
  CHECK(code(words, "a\u0898") == "encoded");
  CHECK(code(words, "a\U0001FAE8") == "encoded");  // an emoji of Unicode 15, a symbol in all
  CHECK(code(words, "a\uFFFF") == "encoded");      // a noncharacter
  const json gpt2 = test::byte_tokenizer();
  CHECK(code(gpt2, "a\u1C89") == "SP2212");
  CHECK(code(gpt2, "a\U0001FAE8") == "encoded");
  json symbols = gpt2;
  symbols["pre_tokenizer"] = {{"type", "Sequence"},
                              {"pretokenizers",
                               {{{"type", "Split"},
                                 {"pattern", {{"Regex", "\\p{So}+"}}},
                                 {"behavior", "Isolated"},
                                 {"invert", false}},
                                gpt2["pre_tokenizer"]}}};
  CHECK(code(symbols, "a\U0001FAE8") == "SP2212");
  CHECK(code(byte_fallback_with("{}"), "a\u1C89\u0898") == "encoded");  // asks for no class
  json alone = byte_fallback_with("{}");
  alone["added_tokens"] = {test::added_token("<s>", 6)};
  alone["added_tokens"][0]["single_word"] = true;
  CHECK(code(alone, "<s>\u1C89") == "SP2212");
}

TEST_CASE("The text beside WordPiece tokens") {
  json made =
      word_piece_with(R"({"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true}})");
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  CHECK(read->text_of(4) == "bc");
  CHECK(read->text_of(5) == " ab");
  CHECK(read->text_of(9) == "!");
  made["decoder"]["cleanup"] = false;
  CHECK(test::Folder(made.dump()).read()->text_of(9) == " !");
}

TEST_CASE("An unknown word without unk_token in the vocabulary is refused") {
  const json made = word_piece_with(R"({"model": {"unk_token": "[NO]"}})");
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  CHECK(read->encode("ab", tokenizer::Bos::kWithout) == Ids{5});
  CHECK(read->encode("zz", tokenizer::Bos::kWithout).error().code == "SP2209");
  const auto code = [](const char* model) { return test::code_of(word_piece_with(model)); };
  CHECK(code(R"({"model": {"max_input_chars_per_word": 500}})") == "accepted");
  CHECK(code(R"({"model": {"max_input_chars_per_word": 501}})") == "SP2203");
  CHECK(code(R"({"model": {"max_input_chars_per_word": null}})") == "SP2202");
  CHECK(code(R"({"model": {"continuing_subword_prefix": null}})") == "SP2202");
  CHECK(code(R"({"model": {"unk_token": null}})") == "SP2202");
  CHECK(code(R"({"model": {"fuse_unk": true}})") == "SP2203");
}
