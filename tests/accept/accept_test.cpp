#include "accept/accept.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sinkproof;
using accept::Standing;
using accept::standing_of;

namespace {

check::Outcome outcome_of(const std::string& verdict, const std::string& evidence, int exit_code) {
  check::Outcome outcome;
  outcome.verdict = verdict;
  outcome.evidence = evidence;
  outcome.code = "SP0801";
  outcome.reason = "why";
  outcome.exit_code = exit_code;
  return outcome;
}

}  // namespace

TEST_CASE("Accepted is what the checker accepts in full") {
  for (const char* const verdict : {"proved", "enclosed", "statistical"}) {
    const auto outcome = outcome_of(verdict, "exact", 0);
    CHECK(standing_of(outcome) == Standing::kAccepted);
    CHECK(accept::shows_bounds(outcome));
    CHECK(accept::accepted(outcome).has_value());
  }
}

TEST_CASE("What holds as far as it was checked shows its bounds and is not accepted") {
  for (const char* const verdict : {"unknown", "holey", "bounded", "statistical"}) {
    const auto outcome = outcome_of(verdict, "exact+smt", 3);
    CHECK(standing_of(outcome) == Standing::kPartly);
    CHECK(accept::shows_bounds(outcome));
    CHECK_FALSE(accept::accepted(outcome).has_value());
  }
}

TEST_CASE("Everything else shows nothing") {
  const check::Outcome outcomes[] = {outcome_of("rejected", "", 4),
                                     outcome_of("rejected", "exact", 0),
                                     outcome_of("proved", "exact", 4),
                                     outcome_of("proved", "exact", 2),
                                     outcome_of("proved", "exact", 3),
                                     outcome_of("proved", "exact", 5),
                                     outcome_of("unknown", "", 3),
                                     outcome_of("unknown", "exact", 0),
                                     outcome_of("", "", 0),
                                     outcome_of("refuted", "exact", 1),
                                     check::Outcome{}};
  for (const check::Outcome& outcome : outcomes) {
    INFO(outcome.verdict << " " << outcome.exit_code);
    CHECK_FALSE(accept::shows_bounds(outcome));
    const auto accepted = accept::accepted(outcome);
    REQUIRE_FALSE(accepted.has_value());
    CHECK(accepted.error().code == outcome.code);
    CHECK(accepted.error().what == outcome.reason);
  }
}

TEST_CASE("A certificate that is none, or about other bytes, is refused with the checker's code") {
  const auto no_model = accept::ask_about_checkpoint(json::Value::object(), {"model"});
  REQUIRE_FALSE(no_model.has_value());
  CHECK(no_model.error().code.starts_with("SP"));
  const auto no_input = accept::ask_about_vectors(json::Value::object(), {"file"});
  REQUIRE_FALSE(no_input.has_value());
  CHECK(no_input.error().code.starts_with("SP"));
  CHECK_FALSE(accept::ask_about_theory(json::Value::object(), "/no/such/claim").has_value());
}

TEST_CASE("The text's hash is looked for where the checker looks") {
  const std::filesystem::path proofs = std::filesystem::path(SINKPROOF_SOURCE_DIR) / "proofs";
  const auto hash = accept::claim_text_hash("vectors", proofs, "out.json");
  REQUIRE(hash.has_value());
  CHECK(hash->size() == 64);
  const auto none = accept::claim_text_hash("no-such-claim", proofs, "out.json");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == "SP0904");
}

TEST_CASE("A certificate that the checker cannot read is not accepted") {
  const auto cover = accept::ask_about_cover(json::Value::object(), ".");
  REQUIRE_FALSE(cover.has_value());
  CHECK_FALSE(cover.error().code.empty());
  CHECK_FALSE(accept::ask_about_checkpoint(json::Value::object(), {}).has_value());
  CHECK_FALSE(accept::ask_about_vectors(json::Value::object(), {}).has_value());
}
