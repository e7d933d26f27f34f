// The rules a theory certificate's exact steps rest on: what they accept, and each way to fail.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "certificate/schema.hpp"
#include "certificate/strict.hpp"
#include "file/file.hpp"
#include "theory/steps.hpp"
#include "vectors/vectors.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

json::Value parsed(const std::string& text) {
  auto value = json::parse_strict(text, "test");
  REQUIRE(value.has_value());
  return *value;
}

// Whether the file of a step, as a step, holds.
template <typename Exact>
void check_content(const json::Value& content, const std::string& where) {
  check::check_exactly(certificate::read<Exact>(content, where), where);
}

// x > 0, y >= 1, z = x imply x y - z >= 0: x (y - 1) + (x - z) + ..., with z - x = 0.
const json::Value kStatement = json::Value::parse(R"({
  "variables": ["x", "y", "z"], "scope": "all",
  "hypotheses": [
    {"name": "px", "polynomial": "x", "relation": ">"},
    {"name": "y1", "polynomial": ["-", "y", "1"], "relation": ">="},
    {"name": "zx", "polynomial": ["-", "z", "x"], "relation": "="}],
  "conclusion": {"polynomial": ["-", ["*", "x", "y"], "z"], "relation": ">="}})");
const json::Value kEvidence = json::Value::parse(R"({
  "multiplier": {"coefficient": "1", "factors": []},
  "terms": [{"coefficient": "1", "factors": ["px", "y1"], "square": "1"}],
  "cofactors": [{"hypothesis": "zx", "polynomial": "-1"}],
  "witness": {"x": "1", "y": "1", "z": "1"}})");

std::string code(const json::Value& statement, const json::Value& evidence) {
  const auto held = certificate::result_of([&] {
    check_content<certificate::Implication>({{"statement", statement}, {"evidence", evidence}},
                                            "test");
  });
  return held ? "accepted" : held.error().code;
}

std::string with_evidence(const std::string& pointer, const std::string& text) {
  json::Value evidence = kEvidence;
  evidence[json::Value::json_pointer(pointer)] = parsed(text);
  return code(kStatement, evidence);
}

std::string with_statement(const std::string& pointer, const std::string& text) {
  json::Value statement = kStatement;
  statement[json::Value::json_pointer(pointer)] = parsed(text);
  return code(statement, kEvidence);
}

std::string identity_code(const std::string& left, const std::string& right) {
  const json::Value statement =
      parsed(R"({"variables":["x","y"],"scope":"all","identities":[{"name":"i","left":)" + left +
             R"(,"right":)" + right + "}]}");
  const auto held = certificate::result_of([&] {
    check_content<certificate::Identities>({{"statement", statement}}, "test");
  });
  return held ? "accepted" : held.error().code;
}

}  // namespace

TEST_CASE("An implication with its multipliers is accepted") {
  CHECK(code(kStatement, kEvidence) == "accepted");
  // The same scaled by x > 0 and by 2, and with a square in place of one factor.
  CHECK(with_evidence("/multiplier", R"({"coefficient":"2","factors":["px"]})") == "SP0804");
  json::Value scaled = kEvidence;
  scaled["multiplier"] = parsed(R"({"coefficient":"2","factors":["px"]})");
  scaled["terms"] = parsed(R"([{"coefficient":"2","factors":["y1"],"square":"x"}])");
  scaled["cofactors"] = parsed(R"([{"hypothesis":"zx","polynomial":["*","-2","x"]}])");
  CHECK(code(kStatement, scaled) == "accepted");
}

TEST_CASE("A sign the rule does not allow is refused") {
  CHECK(with_evidence("/terms/0/coefficient", "\"-1\"") == "SP0805");
  CHECK(with_evidence("/terms/0/coefficient", "\"0\"") == "SP0805");
  CHECK(with_evidence("/multiplier/coefficient", "\"0\"") == "SP0805");
  CHECK(with_evidence("/multiplier/coefficient", "\"-1\"") == "SP0805");
  CHECK(with_evidence("/multiplier/factors", R"(["y1"])") == "SP0805");
  CHECK(with_evidence("/multiplier/factors", R"(["zx"])") == "SP0805");
  CHECK(with_evidence("/terms/0/factors", R"(["px","zx"])") == "SP0805");
  CHECK(with_evidence("/cofactors/0/hypothesis", "\"y1\"") == "SP0805");
  CHECK(with_evidence("/cofactors/0/hypothesis", "\"px\"") == "SP0805");
}

TEST_CASE("A strict conclusion needs a certainly positive term") {
  CHECK(with_statement("/conclusion/relation", "\">\"") == "SP0805");
  CHECK(with_statement("/conclusion/relation", "\"=\"") == "SP0805");
  const json::Value statement = parsed(R"({"variables":["x"],"scope":"all",
    "hypotheses":[{"name":"px","polynomial":"x","relation":">"}],
    "conclusion":{"polynomial":["+","x",["^","x",2]],"relation":">"}})");
  json::Value evidence = parsed(R"({"multiplier":{"coefficient":"1","factors":[]},"cofactors":[],
    "terms":[{"coefficient":"1","factors":["px"],"square":"1"},
             {"coefficient":"1","factors":[],"square":"x"}],"witness":{"x":"1"}})");
  CHECK(code(statement, evidence) == "accepted");
  // x^2 > 0 does not follow from a square alone, although it is true here.
  json::Value square = statement;
  square["conclusion"]["polynomial"] = parsed(R"(["^","x",2])");
  evidence["terms"].erase(0);
  CHECK(code(square, evidence) == "SP0805");
  evidence["terms"][0] = parsed(R"({"coefficient":"1","factors":["px","px"],"square":"1"})");
  CHECK(code(square, evidence) == "accepted");
}

TEST_CASE("Multipliers that do not add up are refused") {
  CHECK(with_evidence("/terms/0/coefficient", "\"2\"") == "SP0804");
  CHECK(with_evidence("/terms/0/coefficient", "\"1000001/1000000\"") == "SP0804");
  CHECK(with_evidence("/terms", "[]") == "SP0804");
  CHECK(with_evidence("/terms/0/square", "\"x\"") == "SP0804");
  CHECK(with_evidence("/cofactors", "[]") == "SP0804");
  CHECK(with_evidence("/cofactors/0/polynomial", "\"1\"") == "SP0804");
  CHECK(with_statement("/conclusion/polynomial", R"(["-","z",["*","x","y"]])") == "SP0804");
  CHECK(with_statement("/hypotheses/1/polynomial", R"(["-","y","2"])") == "SP0804");
}

TEST_CASE("Hypotheses nothing satisfies are refused") {
  CHECK(with_evidence("/witness/x", "\"0\"") == "SP0806");
  CHECK(with_evidence("/witness/y", "\"1/2\"") == "SP0806");
  CHECK(with_evidence("/witness/z", "\"2\"") == "SP0806");
}

TEST_CASE("Malformed statements and evidence are refused") {
  CHECK(with_evidence("/witness", R"({"x":"1","y":"1"})") == "SP0503");
  CHECK(with_evidence("/witness/w", "\"1\"") == "SP0503");
  CHECK(with_evidence("/note", "\"1\"") == "SP0503");
  CHECK(with_evidence("/terms/0/factors/0", "\"absent\"") == "SP0503");
  CHECK(with_evidence("/terms/0/coefficient", "\"2/2\"") == "SP0101");
  CHECK(with_evidence("/terms/0/coefficient", "1") == "SP0503");
  CHECK(with_evidence("/terms", "{}") == "SP0503");
  CHECK(with_statement("/variables", R"(["z","y","x"])") == "SP0504");
  CHECK(with_statement("/variables", R"(["x","x","y","z"])") == "SP0504");
  CHECK(with_statement("/variables", "[]") == "SP0504");
  CHECK(with_statement("/hypotheses/0/relation", "\"<\"") == "SP0503");
  CHECK(with_statement("/hypotheses/0/name", "\"y1\"") == "SP0503");
  CHECK(with_statement("/hypotheses/0/polynomial", "\"w\"") == "SP0504");
  CHECK(with_statement("/hypotheses", "{}") == "SP0503");
  CHECK(with_statement("/extra", "1") == "SP0503");
}

TEST_CASE("An identity holds or does not") {
  CHECK(identity_code(R"(["^",["+","x","y"],3])",
                      R"(["+",["^","x",3],["*","3","x","y",["+","x","y"]],["^","y",3]])") ==
        "accepted");
  CHECK(identity_code(R"(["-",["-","x"],"y"])", R"(["-",["+","x","y"]])") == "accepted");
  CHECK(identity_code(R"(["*","1/3","x"])", R"(["*","2/3","x"])") == "SP0804");
  CHECK(identity_code(R"("x")", R"("y")") == "SP0804");
  CHECK(identity_code(R"("x")", R"("x")") == "SP0503");
}

TEST_CASE("An expression outside the syntax or its limits is refused") {
  for (const std::string text :
       {"1", "null", "[]", R"(["+"])", R"(["+","x"])", R"(["/","x","y"])", R"(["-","x","y","x"])",
        R"(["^","x"])", R"(["^","x",0])", R"(["^","x",-1])", R"(["^","x","2"])", R"(["^","x",65])",
        R"([1,"x","y"])", R"({"x":1})", R"("undeclared")", R"(["^",["^","2",64],64])",
        R"(["^",["^",["^","2",9],9],9])"}) {
    INFO(text);
    CHECK(identity_code(text, R"("y")") == "SP0504");
  }
  CHECK(identity_code(R"("")", R"("y")") == "SP0101");
  CHECK(identity_code(R"("1/2x")", R"("y")") == "SP0101");
  CHECK(identity_code(R"("4/2")", R"("y")") == "SP0101");
  CHECK(identity_code("\"" + std::string(401, '7') + "\"", R"("y")") == "SP0504");
  std::string sum = R"(["+","x")";
  for (int i = 0; i < 10000; ++i) sum += R"(,"x")";
  CHECK(identity_code(sum + "]", R"("y")") == "SP0504");
}

TEST_CASE("Every implication, identity, construction and vectors step under proofs/ holds") {
  int seen = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(SINKPROOF_SOURCE_DIR) / "proofs")) {
    const std::string name = entry.path().filename().string();
    INFO(entry.path().string());
    if (!name.ends_with(".json")) continue;
    const auto text = file::read(entry.path());
    REQUIRE(text.has_value());
    const json::Value content = parsed(*text);
    const auto held = certificate::result_of([&] {
      if (name.ends_with(".identity.json")) {
        return check_content<certificate::Identities>(content, name);
      }
      if (name.ends_with(".construction.json")) {
        return check_content<certificate::Construction>(content, name);
      }
      if (name.ends_with(".vectors.json")) {
        return check::check_vectors_step(content.at("statement"), content.at("evidence"), name);
      }
      check_content<certificate::Implication>(content, name);
    });
    if (!held) FAIL_CHECK(held.error().where << ": " << held.error().what);
    ++seen;
  }
  CHECK(seen >= 15);
}
