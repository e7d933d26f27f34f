#include "prove/smt_implication.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "file/file.hpp"
#include "prove/exact_step.hpp"
#include "prove/smt.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using namespace sinkproof::prove;

namespace {

const std::string kHead =
    "(set-logic QF_NRA)\n(declare-const v_x Real)\n(declare-const v_y Real)\n";

exact::Result<certificate::Implication> implication(const std::string& conclusion) {
  return read_exact<certificate::Implication>(
      R"({"statement": {"variables": ["x", "y"], "scope": "all", "hypotheses": [
                   {"name": "a", "polynomial": ["-", ["^", "x", 2], "1/3"], "relation": ">"},
                   {"name": "b", "polynomial": ["+", "y", "1"], "relation": "="}],
                 "conclusion": )" +
          conclusion + R"(},
               "evidence": {"multiplier": {"coefficient": "1", "factors": []}, "terms": [],
                 "cofactors": [], "witness": {"x": "5/2", "y": "-1"}}})",
      "test");
}

}  // namespace

TEST_CASE("The question is the statement as it stands, and its mutant fails at the witness") {
  const std::string hypotheses =
      "(assert (> (- (* v_x v_x) (/ 1 3)) 0))\n(assert (= (+ v_y 1) 0))\n";
  const std::string place = "(assert (= v_x (/ 5 2)))\n(assert (= v_y (- 1)))\n";
  // The conclusion's value at the witness is 1/2, 9/4, 2 and 0: the next integers are 1, 3, 3, 1.
  const std::vector<std::vector<std::string>> cases = {
      {R"({"polynomial": ["-", "x", "2"], "relation": ">="})", "(>= (- v_x 2) ", "1"},
      {R"({"polynomial": ["-", "x", "1/4"], "relation": ">"})", "(> (- v_x (/ 1 4)) ", "3"},
      {R"({"polynomial": ["-", ["-", "y"], "-1"], "relation": ">="})", "(>= (- (- v_y) (- 1)) ",
       "3"},
      {R"({"polynomial": ["+", "y", ["^", "y", 3], "2"], "relation": "="})",
       "(= (+ v_y (* v_y v_y v_y) 2) ", "1"}};
  for (const auto& item : cases) {
    INFO(item[0]);
    const SmtQuestion question = smt_question(implication(item[0]).value());
    const std::string before = kHead + hypotheses + "(assert (not " + item[1];
    CHECK(question.lemma == before + "0)))\n(check-sat)\n");
    CHECK(question.mutant == before + item[2] + ")))\n" + place + "(check-sat)\n");
    CHECK(ask_z3(question.mutant, "test").value() == SolverAnswer::kSat);
    CHECK(ask_cvc5(question.mutant, "test").value() == SolverAnswer::kSat);
  }
}

TEST_CASE("What FORMAT.md does not read is not a question") {
  const auto code = [](const std::string& conclusion) {
    return implication(conclusion).error().code;
  };
  CHECK(code(R"({"polynomial": ["/", "x", "y"], "relation": ">"})") == "SP0504");
  CHECK(code(R"({"polynomial": "z", "relation": ">"})") == "SP0504");
  CHECK(code(R"({"polynomial": "x", "relation": "<"})") == "SP0503");
}

TEST_CASE("Z3 refutes every mutant of this project's implications, and no implication") {
  int seen = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(SINKPROOF_SOURCE_DIR) / "proofs")) {
    if (!entry.path().string().ends_with(".implication.json")) continue;
    INFO(entry.path().string());
    const auto step =
        read_exact<certificate::Implication>(file::read(entry.path()).value(), "test");
    REQUIRE(step.has_value());
    if (!step->has_solvers) continue;
    const SmtQuestion question = smt_question(*step);
    CHECK(ask_z3(question.lemma, "test").value() == SolverAnswer::kUnsat);
    CHECK(ask_z3(question.mutant, "test").value() == SolverAnswer::kSat);
    ++seen;
  }
  CHECK(seen >= 87);
}
