// Ids of texts, worked out by hand; reference_test.py has the many.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "folder.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace sinkproof;
using nlohmann::json;
using tokenizer::Bos;
using tokenizer::Id;
using Ids = std::vector<Id>;

namespace {

Ids ids_of(const json& made, const std::string& text) {
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  const auto ids = read->encode(text, Bos::kWithout);
  REQUIRE(ids.has_value());
  return *ids;
}

json with_merges(const std::vector<std::string>& merges) {
  json made = test::byte_tokenizer();
  for (const std::string& merge : merges) {
    std::string joined = merge;
    joined.erase(joined.find(' '), 1);
    made["model"]["vocab"].emplace(joined, 300 + made["model"]["merges"].size());
    made["model"]["merges"].push_back(merge);
  }
  made["added_tokens"] = nullptr;
  return made;
}

std::string encode_code(const json& made, const std::string& text, Bos bos) {
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  const auto ids = read->encode(text, bos);
  return ids ? "encoded" : ids.error().code;
}

}  // namespace

TEST_CASE("The first merge in the list is done first, the leftmost of equal ones") {
  CHECK(ids_of(with_merges({"a a"}), "aaaaa") == Ids{300, 300, 'a'});
  CHECK(ids_of(with_merges({"b c", "a b"}), "abc") == Ids{'a', 300});
  CHECK(ids_of(with_merges({"a b", "b c"}), "abc") == Ids{300, 'c'});
  // A merge of what another one made, and a candidate that is gone when its turn comes.
  CHECK(ids_of(with_merges({"a b", "ab ab", "b a"}), "ababab") == Ids{301, 300});
  CHECK(ids_of(with_merges({"b a", "a b", "ab ab"}), "ababab") == Ids{'a', 300, 300, 'b'});
}

TEST_CASE("No merge crosses words, and a space belongs to the word after it") {
  CHECK(ids_of(with_merges({"a \u0120"}), "a a") == Ids{'a', ' ', 'a'});
  CHECK(ids_of(with_merges({"\u0120 a"}), "a a") == Ids{'a', 300});
}

TEST_CASE("Added tokens are found before words are cut, the longest first") {
  json made = test::byte_tokenizer();
  made["added_tokens"].push_back(test::added_token("<s><s>", 257));
  CHECK(ids_of(made, "a<s>b") == Ids{'a', 256, 'b'});
  CHECK(ids_of(made, "<s><s><s>") == Ids{257, 256});
  CHECK(ids_of(made, "<s") == Ids{'<', 's'});
}

TEST_CASE("BOS is there when it is asked for, and only then") {
  json made = test::byte_tokenizer();
  const test::Folder folder(made.dump());
  folder.write("config.json", R"({"bos_token_id": 256, "rope_theta": 5e5})");
  const auto read = folder.read();
  REQUIRE(read.has_value());
  CHECK(read->encode("a", Bos::kWith) == Ids{256, 'a'});
  CHECK(read->encode("a", Bos::kWithout) == Ids{'a'});
  CHECK(read->encode("", Bos::kWith) == Ids{256});
  CHECK(read->encode("", Bos::kWithout) == Ids{});
  CHECK(encode_code(made, "a", Bos::kWith) == "SP2210");
  CHECK(encode_code(made, "a", Bos::kWithout) == "encoded");
}

TEST_CASE("The text beside an id") {
  const auto read = test::Folder(test::byte_tokenizer().dump()).read();
  REQUIRE(read.has_value());
  CHECK(read->text_of(0xE6) == "<0xE6>");
  CHECK(read->text_of(' ') == " ");
  CHECK(read->text_of(256) == "<s>");
  CHECK(read->text_of(257).error().code == "SP2211");
}

TEST_CASE("A byte token stands for its byte, by two digits alone") {
  json made = test::byte_tokenizer();
  made["decoder"] = {{"type", "ByteFallback"}};
  made["added_tokens"] = nullptr;
  made["model"]["vocab"] = {{"<0xE6>", 1}, {"<0x9D>", 2}, {"<0xb1>", 3}, {"<0x+1>", 4}, {"a", 5}};
  const auto read = test::Folder(made.dump()).read();
  REQUIRE(read.has_value());
  CHECK(read->text_of(4) == "<0x+1>");
  CHECK(read->text_of(3) == "<0xB1>");
}

TEST_CASE("Texts that no tokenizer takes") {
  const json made = test::byte_tokenizer();
  CHECK(encode_code(made, "\xED\xA0\x80", Bos::kWithout) == "SP2208");
  CHECK(encode_code(made, "a\xFF", Bos::kWithout) == "SP2208");
  CHECK(encode_code(made, std::string(tokenizer::kMaxInput + 1, 'a'), Bos::kWithout) == "SP2208");
  json poor = made;
  poor["model"]["vocab"].erase("b");
  poor["added_tokens"] = nullptr;
  CHECK(encode_code(poor, "ab", Bos::kWithout) == "SP2209");
  CHECK(encode_code(poor, "a", Bos::kWithout) == "encoded");
  poor["model"]["unk_token"] = "a";
  CHECK(ids_of(poor, "abb") == Ids{'a', 'a', 'a'});
  poor["model"]["fuse_unk"] = true;
  CHECK(ids_of(poor, "abb") == Ids{'a', 'a'});
}
