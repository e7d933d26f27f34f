// Decides one lemma file by two independent solvers: Z3 in this process, cvc5 as another one. A
// lemma counts only when both find no counterexample (unsat) and both find one for its mutant
// (sat).
#pragma once

#include <string>

#include "exact/error.hpp"
#include "prove/smt_implication.hpp"

namespace sinkproof::prove {

// Z3 stops by its own deterministic resource count, not by the clock.
inline constexpr unsigned kZ3ResourceLimit = 50'000'000;
// cvc5's resource count; processor time is only a net below it.
inline constexpr unsigned kCvc5ResourceLimit = 5'000'000;

enum class SolverAnswer { kSat, kUnsat, kUnknown };

// Ok when the lemma holds and is not vacuous, by the word of both solvers.
// SP0702, SP0703: the files are not of the form asked for. SP0704: the solvers contradict each
// other, or Z3's model does not satisfy the mutant. SP0705: the lemma is false. SP0706: the mutant
// is unsat too, so the lemma says nothing. SP0707: a solver gave up within its limits. SP0708: cvc5
// is not installed.
exact::Result<void> decide_lemma(const std::string& lemma, const std::string& mutant,
                                 const std::string& where);

// Ok when both solvers say the same about an implication whose evidence holds. SP0704: they
// contradict it or each other. SP0707, SP0708 as above.
exact::Result<void> confirm_implication(const SmtQuestion& question, const std::string& where);

// The single answers, for tests. SP0709: Z3 cannot read the text. Z3's model, when sat, is
// substituted into every assertion: SP0704 unless all come out true.
exact::Result<SolverAnswer> ask_z3(const std::string& text, const std::string& where);
exact::Result<SolverAnswer> ask_cvc5(const std::string& text, const std::string& where);

}  // namespace sinkproof::prove
