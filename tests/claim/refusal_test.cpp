// Which exit code a command ends with, docs/DESIGN.md's table: 3 where something took too long or
// asked for too much, 5 where somebody's proof is wrong, 2 for what the user has to mend.
#include "claim/refusal.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sinkproof;

TEST_CASE("Out of time or memory, or not accepted is not a usage error") {
  for (const std::string code : {"SP0905", "SP1303", "SP1413"}) {
    CHECK(claim::exit_code_of({code, "", ""}) == 3);
  }
  for (const std::string code : {"SP1304", "SP1205"}) {
    CHECK(claim::exit_code_of({code, "", ""}) == 5);
  }
  for (const std::string code : {"SP0201", "SP0503", "SP1402", "SP1410"}) {
    CHECK(claim::exit_code_of({code, "", ""}) == 2);
  }
}

TEST_CASE("What the checker says of a search's certificate decides the refusal's own code") {
  CHECK(claim::refusal("m", {"SP0905", "w", "too much"}).code == "SP0905");
  CHECK(claim::refusal("m", {"SP0902", "w", "contradiction"}).code == "SP1304");
  CHECK(claim::refusal("m", {"SP0999", "w", "bug"}).code == "SP1304");
  CHECK(claim::refusal("m", {"SP0901", "w", "false"}).code == "SP1303");
}
