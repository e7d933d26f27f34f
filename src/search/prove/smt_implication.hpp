// An implication as a question to SMT solvers: a second opinion on the statement as it is written,
// which sees neither its multipliers nor its expansion.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::prove {

struct SmtQuestion {
  std::string lemma;   // the hypotheses and the negated conclusion: unsat if the implication holds
  std::string mutant;  // the same with a conclusion that is false at the witness: sat
};

// FORMAT.md, 3.3, says which texts these are. `content` is a NAME.implication.json, {"statement",
// "evidence"}; of the evidence only the witness is looked at. Reading errors as in
// certificate/implication.hpp.
exact::Result<SmtQuestion> smt_question(const json::Value& content, const std::string& where);

}  // namespace sinkproof::prove
