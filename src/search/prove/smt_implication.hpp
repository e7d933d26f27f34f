// An implication as a question to SMT solvers: a second opinion on the statement as it is written,
// which sees neither its multipliers nor its expansion.
#pragma once

#include <string>

#include "certificate/implication.hpp"

namespace sinkproof::prove {

struct SmtQuestion {
  std::string lemma;   // the hypotheses and the negated conclusion: unsat if the implication holds
  std::string mutant;  // the same with a conclusion that is false at the witness: sat
};

// FORMAT.md, 3.3, says which texts these are. Of the evidence only the witness is looked at.
SmtQuestion smt_question(const certificate::Implication& step);

}  // namespace sinkproof::prove
