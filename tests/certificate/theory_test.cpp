#include "certificate/theory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sinkproof::certificate;

TEST_CASE("The end of a file's name is its rule") {
  CHECK(rule_of_file("probe.implication.json") == Rule::kImplication);
  CHECK(rule_of_file("sub/square.identity.json") == Rule::kIdentity);
  CHECK(rule_of_file("sub/sink.construction.json") == Rule::kConstruction);
  CHECK(rule_name(Rule::kConstruction) == "construction");
  CHECK(rule_of_file("probe.smt2") == Rule::kSmt);
  CHECK(rule_of_file("necessity.v") == Rule::kCoq);
  CHECK(rule_of_file("why.prose.md") == Rule::kProse);
  for (const std::string path :
       {"", "probe.json", "probe.mutant.smt2", ".smt2", "sub/.v", "v", "probe.SMT2", "claim.toml",
        "README.md", "notes.md", ".implication.json", "implication.json", "proof.vo",
        ".construction.json", "construction.json"}) {
    INFO(path);
    CHECK_FALSE(rule_of_file(path).has_value());
  }
  CHECK(mutant_of("sub/probe.smt2") == "sub/probe.mutant.smt2");
}

TEST_CASE("A step's file is a path that stays within the claim's folder") {
  for (const char* path : {"a.v", "sub/a.v", "a-b_c.0", "...", ".a"}) CHECK(is_path_within(path));
  for (const char* path : {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/./b", "a b",
                           "a\nb", "\xC3\xBC"}) {
    INFO(path);
    CHECK_FALSE(is_path_within(path));
  }
}

TEST_CASE("A Coq file's theorems are those of the lines it ends with") {
  using Names = std::vector<std::string>;
  CHECK(coq_theorems("Qed.\nPrint Assumptions a.\nPrint Assumptions b'.\n\n \t") ==
        Names{"a", "b'"});
  CHECK(coq_theorems("Print Assumptions a.\nQed.\nPrint Assumptions b.") == Names{"b"});
  CHECK(coq_theorems("Print Assumptions a.\r\nPrint Assumptions b.\r\n") == Names{"a", "b"});
  CHECK(coq_theorems("Print Assumptions a.") == Names{"a"});
  for (const std::string text :
       {"", "\n", "Qed.", "Print Assumptions a. Qed.", "Print Assumptions a", "Print Assumptions .",
        "Print Assumptions a b.", "Print Assumptions 1.", "Print Assumptions a.\n*)",
        " Print Assumptions a.", "Print  Assumptions a.", "Print Assumptions m.a."}) {
    INFO(text);
    CHECK(coq_theorems(text).empty());
  }
}

TEST_CASE("The allowed axioms are sorted") {
  CHECK(allowed_coq_axioms().size() == 4);
  CHECK(std::is_sorted(allowed_coq_axioms().begin(), allowed_coq_axioms().end()));
}
