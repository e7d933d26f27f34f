// The rules about polynomials (FORMAT.md, 3.3 and 3.4). `implication`: polynomial hypotheses, a
// polynomial conclusion, and multipliers that show how the conclusion follows.
// `polynomial-identity`: pairs of formulas claimed to be the same polynomial. This file only reads
// them; whether the identities hold is for check/ and prove/ to say, each on its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certificate/formula.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

enum class Relation { kPositive, kNonNegative, kZero };  // polynomial > 0, >= 0, = 0

struct Constraint {
  Formula formula;
  Relation relation = Relation::kNonNegative;
};

struct ImplicationStatement {
  std::vector<std::string> variables;
  std::vector<std::string> hypothesis_names;  // sorted
  std::vector<Constraint> hypotheses;         // in the order of the names
  Constraint conclusion;
};

// coefficient * product of hypotheses (by index, repeats allowed) * square^2; the multiplier of the
// conclusion has no square.
struct ImplicationTerm {
  exact::Rational coefficient;
  std::vector<std::size_t> factors;
  Formula square{};
};

// cofactor * hypothesis, for a hypothesis that is an equation.
struct ImplicationCofactor {
  std::size_t hypothesis = 0;
  Formula cofactor;
};

struct ImplicationEvidence {
  ImplicationTerm multiplier;
  std::vector<ImplicationTerm> terms;
  std::vector<ImplicationCofactor> cofactors;
  std::vector<exact::Rational> witness;  // a value per variable
};

struct Identity {
  std::string name;
  Formula left;
  Formula right;
};

// Each throws Rejected: SP0503, SP0504, SP0101 naming the field.
ImplicationStatement read_implication_statement(const json::Value& value, const std::string& where);
ImplicationEvidence read_implication_evidence(const json::Value& value,
                                              const ImplicationStatement& statement,
                                              const std::string& where);
// The identities in the order of the file, at least one. SP0503 also for an identity whose two
// sides are the same text, which says nothing.
std::vector<Identity> read_identities(const json::Value& value, const std::string& where);

}  // namespace sinkproof::certificate
