// What a lemma file may say, checked before any solver sees it: two solvers that read different
// things agree about nothing, and a file that asserts nothing is satisfiable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

struct SmtText {
  // One token list per command, without its outer parentheses; comments are gone.
  std::vector<std::vector<std::string>> commands;
  std::size_t assertions = 0;
};

// SP0702: a command other than set-logic, declare-const, assert, check-sat; a logic other than
// QF_LRA or QF_NRA; a sort other than Real; fewer than two assertions (a hypothesis and the negated
// conclusion); check-sat not exactly once and last; a word in an assertion other than numerals,
// constants declared before it and the signs of arithmetic and logic, such as `let`; division;
// unbalanced parentheses; characters that the solvers read differently (plain_text.hpp).
exact::Result<SmtText> parse_smt_text(std::string_view text, const std::string& where);

// Ok when `mutant` is `lemma` with exactly one numeral of its last assertion changed, followed by
// any number of assertions (= variable numeral) that say where to look. SP0703 otherwise: a mutant
// of a hypothesis has counterexamples even where the hypotheses contradict each other.
exact::Result<void> check_mutant(const SmtText& lemma, const SmtText& mutant,
                                 const std::string& where);

}  // namespace sinkproof::prove
