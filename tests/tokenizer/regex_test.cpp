// Patterns written for Oniguruma: where they match, what is refused, and that none runs away.
#include "tokenizer/regex.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tokenizer/split.hpp"

using namespace sinkproof;

namespace {

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::vector<std::string> pieces(const std::string& pattern, const std::string& text) {
  const auto regex = tokenizer::Regex::compile(pattern, "test");
  REQUIRE(regex.has_value());
  tokenizer::Work work;
  const auto matches = regex->matches(text, work);
  REQUIRE(matches.has_value());
  std::vector<std::string> found;
  for (const tokenizer::Span& match : *matches) {
    found.push_back(text.substr(match.begin, match.end - match.begin));
  }
  return found;
}

std::string code_of(const std::string& pattern) {
  const auto regex = tokenizer::Regex::compile(pattern, "test");
  return regex ? "accepted" : regex.error().code;
}

}  // namespace

TEST_CASE("GPT-2's pattern cuts text as published") {
  using Pieces = std::vector<std::string>;
  CHECK(pieces(kGpt2, "Hello my friend, how is your day going?") ==
        Pieces{"Hello", " my", " friend", ",", " how", " is", " your", " day", " going", "?"});
  CHECK(pieces(kGpt2, " can't  stop") == Pieces{" can", "'t", " ", " stop"});
  CHECK(pieces(kGpt2, "Hello there       dear") == Pieces{"Hello", " there", "      ", " dear"});
  CHECK(pieces(kGpt2, "we're 2nd\n\nI'LL ") ==
        Pieces{"we", "'re", " 2", "nd", "\n", "\n", "I", "'", "LL", " "});
}

TEST_CASE("A match longer than every first window is found whole") {
  for (const std::size_t size : {63U, 64U, 65U, 300U, 5000U}) {
    CAPTURE(size);
    const std::string spaces(size, ' ');
    CHECK(pieces(kGpt2, spaces + "x") == std::vector<std::string>{spaces.substr(1), " x"});
    CHECK(pieces(R"(\s*[\r\n]+|\s+(?!\S)|\s+)", spaces + "x").size() == 2);
    CHECK(pieces(R"(a+$)", std::string(size, 'a')).size() == 1);
  }
}

TEST_CASE("What PCRE2 reads otherwise means here what Oniguruma means") {
  // White space without U+180E, in a set and outside; a script by its own characters.
  CHECK(pieces(R"(\s)", "\u180E \u3000").size() == 2);
  CHECK(pieces(R"([^\S])", "\u180E \u3000").size() == 2);
  CHECK(pieces(R"(\p{Han}+)", "\u6771\u30FC\u4EAC\u3002") ==
        std::vector<std::string>{"\u6771", "\u4EAC"});  // U+30FC, U+3002 are of several scripts
  CHECK(pieces(R"((?i:'S))", "'s'\u017F").size() == 2);
}

TEST_CASE("Forms with another meaning in PCRE2 are refused, and so is what is malformed") {
  for (const char* pattern : {R"(a{1,3}+)",
                              R"(\w)",
                              R"(\h)",
                              R"(\v)",
                              R"(\K)",
                              R"(\G)",
                              R"(\1)",
                              R"(\R)",
                              R"(\b)",
                              R"(\C)",
                              R"((?m:a.))",
                              R"((?P<x>a))",
                              R"((?R))",
                              R"((?C1)a)",
                              R"((*LIMIT_MATCH=1)a)",
                              R"([a&&b])",
                              R"([[:alpha:]])",
                              R"([]a])",
                              R"([\z])",
                              R"(\pL)",
                              R"(\)",
                              "(",
                              "[a",
                              R"(\p{Nothing})",
                              R"(\p{L)",
                              "(?:(?:a{1,9999}){1,9999}){1,9999}",
                              "\\\xC3\xA9"}) {
    CAPTURE(pattern);
    CHECK(code_of(pattern) == "SP2206");
  }
  CHECK(code_of(std::string(16384, 'a')) == "accepted");
  CHECK(code_of(std::string(16385, 'a')) == "SP2206");
  CHECK(code_of(std::string(2000, '(') + std::string(2000, ')')) == "SP2206");
  CHECK(code_of(R"([^\r\n\p{L}\p{^N}\]\[]?+(?<=a)(?<!b)(?>c)\x{6771}\A\z)") == "accepted");
}

TEST_CASE("A pattern that takes exponential or quadratic time is stopped", "[seconds]") {
  const std::string text(200000, 'a');
  for (const char* pattern : {R"((?:a|aa)+b)", R"((a*)*b)", R"([\d\D]++x)", R"(((a+)+)+\x00)"}) {
    CAPTURE(pattern);
    const auto regex = tokenizer::Regex::compile(pattern, "test");
    REQUIRE(regex.has_value());
    tokenizer::Work work;
    const auto matches = regex->matches(text, work);
    REQUIRE_FALSE(matches.has_value());
    CHECK(matches.error().code == "SP2207");
  }
}

TEST_CASE("Empty matches cut, and do not stop the search") {
  const auto regex = tokenizer::Regex::compile("x*", "test");
  REQUIRE(regex.has_value());
  tokenizer::Work work;
  const std::string text = "axx\u00E9";
  const auto matches = regex->matches(text, work);
  REQUIRE(matches.has_value());
  REQUIRE(matches->size() == 3);  // before a, xx, at the end; none where xx ended
  CHECK((*matches)[1].begin == 1);
  CHECK((*matches)[1].end == 3);
  CHECK((*matches)[2].begin == text.size());
}
