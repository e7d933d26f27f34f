#include "prove/smt.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "file/file.hpp"
#include "output/temporary_folder.hpp"
#include "prove/smt_text.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using namespace sinkproof::prove;

namespace {

const std::string kDeclarations =
    "(set-logic QF_NRA)\n(declare-const x Real)\n(declare-const y Real)\n";
const std::string kLemma =
    kDeclarations +
    "(assert (> x 0))\n(assert (>= y 1))\n(assert (< (* x y) (* 1 x)))\n(check-sat)\n";
const std::string kMutant =
    kDeclarations +
    "(assert (> x 0))\n(assert (>= y 1))\n(assert (< (* x y) (* 3 x)))\n(check-sat)\n";

std::string code(const std::string& lemma, const std::string& mutant) {
  const auto held = decide_lemma(lemma, mutant, "test");
  return held ? "holds" : held.error().code;
}

std::string text_code(const std::string& text) {
  const auto parsed = parse_smt_text(text, "test");
  return parsed ? "ok" : parsed.error().code;
}

std::string mutant_code(const std::string& mutant) {
  const auto same = check_mutant(parse_smt_text(kLemma, "l").value(),
                                 parse_smt_text(mutant, "m").value(), "test");
  return same ? "ok" : same.error().code;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A program called cvc5 that answers as told, first in PATH for as long as the object lives.
class PretendedCvc5 {
 public:
  explicit PretendedCvc5(const std::string& script) : old_path_(::getenv("PATH")) {
    std::ofstream(folder_ / "cvc5") << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "cvc5", fs::perms::owner_all);
    ::setenv("PATH", (folder_.path().string() + ":" + old_path_).c_str(), 1);
  }
  PretendedCvc5(const PretendedCvc5&) = delete;
  PretendedCvc5& operator=(const PretendedCvc5&) = delete;
  ~PretendedCvc5() { ::setenv("PATH", old_path_.c_str(), 1); }

 private:
  std::string old_path_;
  output::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("A lemma holds when both solvers refute it and satisfy its mutant") {
  CHECK(code(kLemma, kMutant) == "holds");
}

TEST_CASE("Every lemma of this project holds, and none is vacuous", "[seconds]") {
  int seen = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(SINKPROOF_SOURCE_DIR) / "proofs")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".smt2") || path.ends_with(".mutant.smt2")) continue;
    const auto lemma = file::read(path);
    const auto mutant = file::read(path.substr(0, path.size() - 5) + ".mutant.smt2");
    REQUIRE((lemma.has_value() && mutant.has_value()));
    const auto held = decide_lemma(*lemma, *mutant, path);
    if (!held) {
      FAIL_CHECK(held.error().code << " " << held.error().where << ": " << held.error().what);
    }
    ++seen;
  }
  CHECK(seen >= 4);
}

TEST_CASE("A false lemma and a vacuous one are refused") {
  const std::string weaker = replaced(kLemma, "(>= y 1)", "(>= y 0.5)");
  CHECK(code(weaker, replaced(weaker, "(* 1 x)", "(* 2 x)")) == "SP0705");
  CHECK(code(kLemma, replaced(kLemma, "(* 1 x)", "(* 0.5 x)")) == "SP0706");
  // Hypotheses that contradict each other prove anything, and so does their mutant.
  const std::string empty = replaced(kLemma, "(>= y 1)", "(< (* y y) 0)");
  CHECK(code(empty, empty) == "SP0703");
  CHECK(code(empty, replaced(empty, "(* 1 x)", "(* 3 x)")) == "SP0706");
  // A mutant of a hypothesis does not show it.
  const std::string negative =
      replaced(kLemma, "(>= y 1)", "(< (* 3 y) (* 2 y)))\n(assert (>= y 1)");
  CHECK(code(negative, replaced(negative, "(* 2 y)", "(* 4 y)")) == "SP0703");
}

TEST_CASE("Solvers that contradict each other are noticed, whichever lies") {
  {
    const PretendedCvc5 liar("echo sat");
    CHECK(code(kLemma, kMutant) == "SP0704");
  }
  const PretendedCvc5 liar("echo unsat");
  CHECK(code(kLemma, kMutant) == "SP0704");  // it agrees on the lemma, but not on the mutant
}

TEST_CASE("A solver that gives up, crashes or prints something else proves nothing") {
  for (const std::string script :
       {"echo unknown", "kill -SEGV $$", "echo unsat; exit 1", "echo unsat; echo unsat", "true",
        "echo '(error \"x\")'; echo unsat"}) {
    INFO(script);
    const PretendedCvc5 weak(script);
    CHECK(code(kLemma, kMutant) == "SP0707");
  }
}

TEST_CASE("A lemma may hold declarations, assertions and one check-sat, nothing else") {
  CHECK(text_code(kLemma) == "ok");
  CHECK(parse_smt_text(kLemma, "t")->assertions == 3);
  CHECK(text_code(replaced(kLemma, "(> x 0)",
                           "(ite (and true (or (<= x y) (distinct x 0.5))) (=> (not false) (= (+ x "
                           "(- 1)) y)) (>= x 0))")) == "ok");
  CHECK(parse_smt_text(kLemma + "; (assert false)\n", "t")->assertions == 3);
  for (const std::string& text :
       {std::string(), std::string("(check-sat)"), std::string("; (assert (> x 0))"),
        kDeclarations + "(assert (> x 0))(check-sat)", replaced(kLemma, "(check-sat)", ""),
        kLemma + "(check-sat)", kLemma + "(assert (> x 1))",
        replaced(kLemma, "(> x 0)", "(> (/ x y) 0)"), replaced(kLemma, "Real", "Int"),
        replaced(kLemma, "QF_NRA", "QF_UF"), replaced(kLemma, "(assert (> x 0))", "(push 1)"),
        replaced(kLemma, "(assert (> x 0))", "(set-option :produce-models true)"),
        replaced(kLemma, "(assert (> x 0))", "(define-fun z () Real 1)"),
        replaced(kLemma, "(> x 0)", "(> |x| 0)"), kLemma + ")", "(" + kLemma, "x" + kLemma,
        "()" + kLemma, replaced(kLemma, "(assert (> x 0))", "(assert)"),
        // What gives a name another meaning, or has none of its own.
        replaced(kLemma, "(< (* x y) (* 1 x))", "(let ((x 6)) (< (* x y) (* 1 x)))"),
        replaced(kLemma, "(> x 0)", "(exists ((x Real)) (> x 0))"),
        replaced(kLemma, "(> x 0)", "(! (> x 0) :named known)"),
        replaced(kLemma, "(> x 0)", "(> (^ x 2) 0)"), replaced(kLemma, "(> x 0)", "(> x 1e0)"),
        replaced(kLemma, "(> x 0)", "(> w 0)"), "(set-logic QF_NRA)\n(assert (> x 0))\n" + kLemma,
        "(declare-const x Real)\n" + kLemma, "(declare-const + Real)\n" + kLemma,
        "(declare-const a-b Real)\n" + kLemma, "(declare-const not Real)\n" + kLemma,
        // What hides an assertion from one solver, or looks like another name.
        kDeclarations + "; what is known\r(assert false)\n" + kLemma.substr(kDeclarations.size()),
        replaced(kLemma, "(check-sat)", std::string(1, '\0') + "(check-sat)"),
        kLemma + ";" + std::string(1, '\0') + "\n", replaced(kLemma, "(> x 0)", "(> x\t0)"),
        replaced(kLemma, "(> x 0)", "(> x\f0)"), replaced(kLemma, "\n", "\r\n"),
        kLemma + "; \xC2\xB5\n"}) {
    INFO(text);
    CHECK(text_code(text) == "SP0702");
  }
}

TEST_CASE("A mutant is its lemma with one numeral changed, and where to look") {
  CHECK(mutant_code(kMutant) == "ok");
  CHECK(mutant_code(replaced(kMutant, "(check-sat)",
                             "(assert (= x 2))(assert (= y 0.5))(check-sat)")) == "ok");
  CHECK(mutant_code(replaced(kMutant, "(set-logic", "; a comment\n(set-logic")) == "ok");
  for (const std::string& text :
       {kLemma, replaced(kMutant, "(> x 0)", "(> x 1)"), replaced(kMutant, "(> x 0)", "(> y 0)"),
        replaced(kMutant, "(< (* x y)", "(> (* x y)"), replaced(kLemma, "(>= y 1)", "(>= y 0)"),
        replaced(kLemma, "(assert (>= y 1))\n", ""), replaced(kLemma, "(>= y 1)", "(>= y x)"),
        replaced(kMutant, "(check-sat)", "(assert (= x y))(check-sat)"),
        replaced(kMutant, "(check-sat)", "(assert (> x 2))(check-sat)"),
        replaced(kMutant, "(check-sat)", "(assert (= 3 2))(check-sat)")}) {
    INFO(text);
    CHECK(mutant_code(text) == "SP0703");
  }
}

TEST_CASE("An implication is confirmed by both solvers, or says which gave up or contradicted") {
  const SmtQuestion question = {kLemma, kMutant};
  const auto confirmed = [](const SmtQuestion& asked) {
    const auto held = confirm_implication(asked, "test");
    return held ? "confirmed" : held.error().code;
  };
  CHECK(confirmed(question) == "confirmed");
  CHECK(confirmed({kMutant, kMutant}) == "SP0704");
  CHECK(confirmed({kLemma, kLemma}) == "SP0704");
  const PretendedCvc5 weak("echo unknown");
  CHECK(confirmed(question) == "SP0707");
}

TEST_CASE("Text Z3 cannot read is an error") {
  const std::string unknown = replaced(kLemma, "(> x 0)", "(> w 0)");
  CHECK(ask_z3(unknown, "t").error().code == "SP0709");
  CHECK(ask_z3(kLemma, "t").value() == SolverAnswer::kUnsat);
  CHECK(ask_z3(kMutant, "t").value() == SolverAnswer::kSat);
  CHECK(ask_cvc5(kLemma, "t").value() == SolverAnswer::kUnsat);
  CHECK(ask_cvc5(unknown, "t").value() == SolverAnswer::kUnknown);
}

TEST_CASE("A missing folder for temporary files is reported as SP0203") {
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/no/such/folder", 1);
  const auto answer = ask_cvc5(kLemma, "t");
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == "SP0203");
  CHECK(answer.error().where == "/no/such/folder");
  ::setenv("TMPDIR", "", 1);  // as unset
  CHECK(ask_cvc5(kLemma, "t").has_value());
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}
