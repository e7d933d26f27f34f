// The producer's verification, against the checker's: written apart, they must agree on every file
// of the project and on every way the fixture's evidence can be spoilt.
#include "prove/exact_step.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "certificate/strict.hpp"
#include "file/file.hpp"
#include "prove/construction.hpp"
#include "theory/steps.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

json::Value content_of(const fs::path& path) {
  const auto text = file::read(path);
  REQUIRE(text.has_value());
  const auto value = json::parse_strict(*text, path.string());
  REQUIRE(value.has_value());
  return *value;
}

bool checker_accepts(const json::Value& content) {
  return certificate::result_of(
             [&] { check::check_implication(content["statement"], content["evidence"], "t"); })
      .has_value();
}

}  // namespace

TEST_CASE("Producer and checker agree on every implication and identity of the project") {
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "proofs")) {
    const std::string name = entry.path().filename().string();
    INFO(entry.path().string());
    if (name.ends_with(".implication.json")) {
      CHECK(prove::verify_implication(content_of(entry.path()), name).has_value());
      CHECK(checker_accepts(content_of(entry.path())));
      ++seen;
    } else if (name.ends_with(".identity.json")) {
      CHECK(prove::verify_identities(content_of(entry.path()), name).has_value());
      ++seen;
    } else if (name.ends_with(".construction.json")) {
      CHECK(prove::verify_construction(content_of(entry.path()), name).has_value());
      ++seen;
    }
  }
  CHECK(seen >= 15);
}

TEST_CASE("Producer and checker refuse the same spoilt evidence") {
  const auto good = content_of(kSource / "tests" / "reject" / "theory" / "proofs" / "toy-1" /
                               "product.implication.json");
  REQUIRE(prove::verify_implication(good, "t").has_value());
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"/evidence/terms/0/coefficient", "\"2\""},
      {"/evidence/terms/0/coefficient", "\"-1\""},
      {"/evidence/terms/0/coefficient", "\"0\""},
      {"/evidence/terms/0/square", "\"x\""},
      {"/evidence/terms/0/factors", "[\"px\"]"},
      {"/evidence/terms/0/factors/1", "\"zx\""},
      {"/evidence/terms", "[]"},
      {"/evidence/cofactors", "[]"},
      {"/evidence/cofactors/0/hypothesis", "\"y1\""},
      {"/evidence/multiplier/coefficient", "\"0\""},
      {"/evidence/multiplier/factors", "[\"y1\"]"},
      {"/evidence/witness/x", "\"0\""},
      {"/evidence/witness/z", "\"7\""},
      {"/statement/conclusion/relation", "\">\""},
      {"/statement/conclusion/relation", "\"=\""},
      {"/statement/conclusion/polynomial", "\"x\""},
      {"/statement/hypotheses/0/relation", "\"=\""},
      {"/extra", "1"}};
  for (const auto& [pointer, text] : changes) {
    INFO(pointer << " = " << text);
    json::Value spoilt = good;
    spoilt[json::Value::json_pointer(pointer)] = json::Value::parse(text);
    CHECK_FALSE(prove::verify_implication(spoilt, "t").has_value());
    if (pointer != "/extra") CHECK_FALSE(checker_accepts(spoilt));
  }
}

TEST_CASE("An identity that does not hold is refused") {
  auto content = content_of(kSource / "tests" / "reject" / "theory" / "proofs" / "toy-1" /
                            "square.identity.json");
  REQUIRE(prove::verify_identities(content, "t").has_value());
  content["statement"]["identities"][0]["left"] = "x";
  const auto held = prove::verify_identities(content, "t");
  REQUIRE_FALSE(held.has_value());
  CHECK(held.error().code == "SP0714");
}
