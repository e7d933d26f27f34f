#include "prove/smt.hpp"

#include <z3++.h>

#include "output/replace.hpp"
#include "output/temporary_folder.hpp"
#include "prove/process.hpp"
#include "prove/smt_text.hpp"

namespace sinkproof::prove {
namespace {

using exact::Result;

const char* word(SolverAnswer answer) {
  switch (answer) {
    case SolverAnswer::kSat:
      return "sat";
    case SolverAnswer::kUnsat:
      return "unsat";
    case SolverAnswer::kUnknown:
      return "unknown";
  }
  return "";
}

// Processor seconds, so that a busy machine changes no answer; the clock catches a hang.
constexpr Limits kCvc5Net = {60, 900, std::uint64_t{2} << 30U};

// Every assertion must evaluate to true under the model, unassigned variables completed.
bool satisfies(const z3::model& model, const z3::expr_vector& assertions) {
  for (const z3::expr& assertion : assertions) {
    if (!model.eval(assertion, true).is_true()) return false;
  }
  return true;
}

Result<SolverAnswer> solve(const std::string& text, const std::string& where) {
  z3::context context;
  const z3::expr_vector assertions = context.parse_string(text.c_str());
  if (assertions.empty())
    return exact::fail("SP0702", where, "states nothing: Z3 reads no assertion in it");
  z3::solver solver(context);
  z3::params limits(context);
  limits.set("rlimit", kZ3ResourceLimit);
  solver.set(limits);
  for (const z3::expr& assertion : assertions) solver.add(assertion);
  switch (solver.check()) {
    case z3::unsat:
      return SolverAnswer::kUnsat;
    case z3::unknown:
      return SolverAnswer::kUnknown;
    case z3::sat:
      break;
  }
  if (!satisfies(solver.get_model(), assertions)) {
    return exact::fail("SP0704", where, "Z3's model does not satisfy the assertions");
  }
  return SolverAnswer::kSat;
}

// Both answers; SP0704 when one says sat and the other unsat, SP0707 when one is unknown.
Result<SolverAnswer> ask_both(const std::string& text, const std::string& where,
                              const std::string& advice) {
  auto z3_answer = ask_z3(text, where);
  if (!z3_answer) return z3_answer;
  auto cvc5_answer = ask_cvc5(text, where);
  if (!cvc5_answer) return cvc5_answer;
  const std::string both =
      std::string("Z3 says ") + word(*z3_answer) + ", cvc5 says " + word(*cvc5_answer);
  if (*z3_answer == SolverAnswer::kUnknown || *cvc5_answer == SolverAnswer::kUnknown) {
    return exact::fail("SP0707", where, both + ": " + advice);
  }
  if (*z3_answer != *cvc5_answer) return exact::fail("SP0704", where, both);
  return *z3_answer;
}

}  // namespace

Result<SolverAnswer> ask_z3(const std::string& text, const std::string& where) {
  try {
    return solve(text, where);
  } catch (const z3::exception& problem) {
    return exact::fail("SP0709", where, std::string("Z3: ") + problem.msg());
  }
}

namespace {

Result<SolverAnswer> run_cvc5(const std::string& text, const std::string& where) {
  const auto program = find_program("cvc5");
  if (!program)
    return exact::fail("SP0708", where,
                       "needs cvc5, which is not installed; install it with scripts/setup.sh");
  const output::TemporaryFolder folder;
  const auto input = folder.path() / "lemma.smt2";
  if (auto written = output::replace(input, text); !written) return tl::unexpected(written.error());
  const auto outcome =
      run_program({program->string(), "--lang=smt2",
                   "--rlimit=" + std::to_string(kCvc5ResourceLimit), input.string()},
                  folder.path(), kCvc5Net);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->exited && outcome->exit_status == 0) {
    if (outcome->output == "sat\n") return SolverAnswer::kSat;
    if (outcome->output == "unsat\n") return SolverAnswer::kUnsat;
  }
  return SolverAnswer::kUnknown;
}

}  // namespace

Result<SolverAnswer> ask_cvc5(const std::string& text, const std::string& where) {
  return exact::result_of([&] { return exact::value_of(run_cvc5(text, where)); });
}

Result<void> decide_lemma(const std::string& lemma, const std::string& mutant,
                          const std::string& where) {
  const std::string mutant_where = where + " (mutant)";
  const auto lemma_text = parse_smt_text(lemma, where);
  if (!lemma_text) return tl::unexpected(lemma_text.error());
  const auto mutant_text = parse_smt_text(mutant, mutant_where);
  if (!mutant_text) return tl::unexpected(mutant_text.error());
  if (auto form = check_mutant(*lemma_text, *mutant_text, mutant_where); !form) return form;
  const std::string advice = "split the lemma into smaller ones";
  const auto answer = ask_both(lemma, where, advice);
  if (!answer) return tl::unexpected(answer.error());
  if (*answer == SolverAnswer::kSat) {
    return exact::fail(
        "SP0705", where,
        "the lemma is false: both solvers have a counterexample; correct a hypothesis or the "
        "conclusion, and the mutant with it");
  }
  const auto mutated = ask_both(mutant, mutant_where, advice);
  if (!mutated) return tl::unexpected(mutated.error());
  if (*mutated == SolverAnswer::kUnsat) {
    return exact::fail(
        "SP0706", where,
        "vacuous: the mutant, where the lemma should fail, has no counterexample either; remove "
        "the "
        "contradiction among the hypotheses, or change another numeral in the mutant");
  }
  return {};
}

Result<void> confirm_implication(const SmtQuestion& question, const std::string& where) {
  const std::string advice = "remove its key solvers; the multipliers are enough evidence";
  const auto answer = ask_both(question.lemma, where, advice);
  if (!answer) return tl::unexpected(answer.error());
  if (*answer == SolverAnswer::kSat) {
    return exact::fail("SP0704", where, "both have a counterexample, but its multipliers hold");
  }
  const auto mutated = ask_both(question.mutant, where + " (mutant)", advice);
  if (!mutated) return tl::unexpected(mutated.error());
  if (*mutated == SolverAnswer::kSat) return {};
  return exact::fail("SP0704", where, "both say its mutant holds, but the witness refutes it");
}

}  // namespace sinkproof::prove
