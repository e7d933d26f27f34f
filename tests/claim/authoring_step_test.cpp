// Every error a claim's author can meet says which of the four steps it belongs to.
#include "claim/authoring_step.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

using namespace sinkproof::claim;

namespace {

// The codes of docs/ERRORS_*.md.
std::set<std::string> documented_codes() {
  const std::regex row(R"(^\| (SP[0-9]{4}) \|.*)");
  std::set<std::string> codes;
  for (const auto& page : std::filesystem::directory_iterator(SINKPROOF_SOURCE_DIR "/docs")) {
    if (!page.path().filename().string().starts_with("ERRORS_")) continue;
    std::ifstream file(page.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      if (std::regex_match(line, match, row)) codes.insert(match[1]);
    }
  }
  return codes;
}

}  // namespace

TEST_CASE("All codes about claims, evidence and certificates belong to one of the four steps") {
  const auto codes = documented_codes();
  REQUIRE(codes.size() > 100);
  std::size_t claims = 0;
  for (const std::string& code : codes) {
    INFO(code);
    const bool of_claims = code >= "SP0501" && code <= "SP0999";
    const bool of_models = code.starts_with("SP02") || code.starts_with("SP04") ||
                           code.starts_with("SP11") || code == "SP0101" || code == "SP0301" ||
                           code == "SP1302" || (code >= "SP1310" && code <= "SP1314");
    if (of_claims || of_models) {
      ++claims;
      CHECK(authoring_step(code).has_value());
    }
    const bool of_others = code.starts_with("SP10") || code.starts_with("SP12") ||
                           code.starts_with("SP15") || code.starts_with("SP16");
    if (of_others) CHECK_FALSE(authoring_step(code).has_value());
  }
  CHECK(claims >= 60);
}

TEST_CASE("The steps of some errors, one for each kind of mistake") {
  for (const char* code : {"SP0501", "SP0601", "SP0602", "SP0603", "SP0604", "SP0605", "SP0606",
                           "SP0607", "SP0608", "SP0609", "SP1302"}) {
    CHECK(authoring_step(code) == AuthoringStep::kSay);
  }
  for (const char* code : {"SP0201", "SP0301", "SP0503", "SP0504", "SP0610", "SP0702", "SP0703",
                           "SP0705", "SP0706", "SP0707", "SP0709", "SP0710", "SP0711", "SP0712",
                           "SP0713", "SP0714", "SP0716", "SP0717", "SP0901"}) {
    CHECK(authoring_step(code) == AuthoringStep::kShow);
  }
  CHECK(authoring_step("SP0611") == AuthoringStep::kClose);
  for (const char* code : {"SP0203", "SP0701", "SP0704", "SP0708", "SP0718", "SP0801"}) {
    CHECK(authoring_step(code) == AuthoringStep::kRun);
  }
  for (const char* code : {"", "SP", "SP07010", "XX0701", "SP1601"}) {
    CHECK_FALSE(authoring_step(code).has_value());
  }
}

TEST_CASE("The step is stated at the end of the message, and the four have different words") {
  const auto said = with_authoring_step({"SP0714", "a/b.json", "does not hold"});
  CHECK(said.what == "does not hold (step 2 of 4 in adding a claim: show it)");
  CHECK(said.where == "a/b.json");
  CHECK(with_authoring_step({"SP1601", "a", "b"}).what == "b");
  std::set<std::string> words;
  for (const auto step :
       {AuthoringStep::kSay, AuthoringStep::kShow, AuthoringStep::kClose, AuthoringStep::kRun}) {
    words.insert(to_string(step));
  }
  CHECK(words.size() == 4);
}
