// tests/reject/theory: every certificate there is rejected, each for the reason in its name.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "certificate/envelope.hpp"
#include "check/theory.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kFolder = fs::path(SINKPROOF_SOURCE_DIR) / "tests" / "reject" / "theory";

// The code a certificate is rejected with, or its verdict, against the claim's folder; without one,
// against the folder of the claim it names, in proofs/ beside it.
std::string outcome(const fs::path& path, const fs::path& claim = {}) {
  const auto envelope = certificate::read_envelope(path);
  if (!envelope) return envelope.error().code;
  const fs::path own = path.parent_path() / "proofs" / envelope->claim;
  const auto result = check::check_theory(envelope->value, claim.empty() ? own : claim);
  return result.verdict == "rejected" ? result.error.code : result.verdict;
}

const fs::path kToy = kFolder / "proofs" / "toy-1";
const fs::path kConstructions = kFolder / "construction";

}  // namespace

TEST_CASE("The certificate the rejected ones were made from is accepted") {
  CHECK(outcome(kFolder / "accepted.json", kToy) == "proved");
  CHECK(outcome(kConstructions / "accepted.json") == "proved");
}

TEST_CASE("Every certificate in tests/reject/theory is rejected for the reason in its name") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("SP")) continue;
    INFO(name);
    CHECK(outcome(entry.path(), kToy) == name.substr(0, name.find('-')));
    ++seen;
  }
  CHECK(seen >= 100);
}

TEST_CASE("Every lie about a construction is rejected for the reason in its name") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(kConstructions)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("SP")) continue;
    INFO(name);
    CHECK(outcome(entry.path()) == name.substr(0, name.find('-')));
    ++seen;
  }
  CHECK(seen >= 65);
}

TEST_CASE("A construction whose scope is not all makes its claim bounded") {
  const auto envelope =
      certificate::read_envelope(kConstructions / "SP0808-scope-not-all-yet-proved.json");
  REQUIRE(envelope.has_value());
  json::Value value = envelope->value;
  value["verdict"] = "bounded";
  const auto result = check::check_theory(value, kConstructions / "proofs" / envelope->claim);
  CHECK(result.verdict == "bounded");
  CHECK(result.evidence == "exact");
  CHECK(result.not_reverified.empty());
}
