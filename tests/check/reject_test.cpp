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

// The code a certificate is rejected with, or its verdict.
std::string outcome(const fs::path& path) {
  const auto envelope = certificate::read_envelope(path);
  if (!envelope) return envelope.error().code;
  const auto result = check::check_theory(envelope->value, kFolder / "proofs" / "toy-1");
  return result.verdict == "rejected" ? result.error.code : result.verdict;
}

}  // namespace

TEST_CASE("The certificate the rejected ones were made from is accepted") {
  CHECK(outcome(kFolder / "accepted.json") == "proved");
}

TEST_CASE("Every certificate in tests/reject/theory is rejected for the reason in its name") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("SP")) continue;
    INFO(name);
    CHECK(outcome(entry.path()) == name.substr(0, name.find('-')));
    ++seen;
  }
  CHECK(seen >= 100);
}
