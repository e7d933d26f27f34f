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

// What the producer and the checker make of a file.
struct Made {
  bool by_producer = false;
  bool by_checker = false;
  std::string code;  // the producer's
};

template <typename Exact>
Made made_of(const json::Value& content) {
  const auto step = prove::read_exact<Exact>(content.dump(), "t");
  if (!step) return {false, false, step.error().code};
  const auto held = prove::verify(*step, "t");
  const auto checked = certificate::result_of([&] { check::check_exactly(*step, "t"); });
  return {held.has_value(), checked.has_value(), held ? "" : held.error().code};
}

bool both_accept(const Made& made) { return made.by_producer && made.by_checker; }

}  // namespace

TEST_CASE("Producer and checker agree on every implication and identity of the project") {
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "proofs")) {
    const std::string name = entry.path().filename().string();
    INFO(entry.path().string());
    if (name.ends_with(".implication.json")) {
      CHECK(both_accept(made_of<certificate::Implication>(content_of(entry.path()))));
      ++seen;
    } else if (name.ends_with(".identity.json")) {
      CHECK(both_accept(made_of<certificate::Identities>(content_of(entry.path()))));
      ++seen;
    } else if (name.ends_with(".construction.json")) {
      CHECK(both_accept(made_of<certificate::Construction>(content_of(entry.path()))));
      ++seen;
    }
  }
  CHECK(seen >= 15);
}

TEST_CASE("Producer and checker refuse the same spoilt evidence") {
  const auto good = content_of(kSource / "tests" / "reject" / "theory" / "proofs" / "toy-1" /
                               "product.implication.json");
  REQUIRE(both_accept(made_of<certificate::Implication>(good)));
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
    const Made made = made_of<certificate::Implication>(spoilt);
    CHECK_FALSE(made.by_producer);
    CHECK_FALSE(made.by_checker);
  }
}

TEST_CASE("An identity that does not hold is refused") {
  auto content = content_of(kSource / "tests" / "reject" / "theory" / "proofs" / "toy-1" /
                            "square.identity.json");
  REQUIRE(both_accept(made_of<certificate::Identities>(content)));
  content["statement"]["identities"][0]["left"] = "x";
  const Made made = made_of<certificate::Identities>(content);
  CHECK_FALSE(made.by_producer);
  CHECK_FALSE(made.by_checker);
  CHECK(made.code == "SP0714");
}
