// The evidence of rule `implication` (FORMAT.md, section 3): polynomial hypotheses, a polynomial
// conclusion, and multipliers that show how the conclusion follows. This file only reads it;
// whether the identity holds is for check/ and prove/ to say, each on its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/polynomial.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

enum class Relation { kPositive, kNonNegative, kZero };  // polynomial > 0, >= 0, = 0

struct Constraint {
  exact::Polynomial polynomial;
  Relation relation = Relation::kNonNegative;
};

struct ImplicationStatement {
  std::vector<std::string> variables;
  std::vector<std::string> hypothesis_names;  // sorted
  std::vector<Constraint> hypotheses;         // in the order of the names
  Constraint conclusion;
};

// coefficient * product of hypotheses (by index, repeats allowed) * square^2.
struct ImplicationTerm {
  exact::Rational coefficient;
  std::vector<std::size_t> factors;
  exact::Polynomial square;
};

// cofactor * hypothesis, for a hypothesis that is an equation.
struct ImplicationCofactor {
  std::size_t hypothesis = 0;
  exact::Polynomial cofactor;
};

struct ImplicationEvidence {
  exact::Rational multiplier_coefficient;
  std::vector<std::size_t> multiplier_factors;
  std::vector<ImplicationTerm> terms;
  std::vector<ImplicationCofactor> cofactors;
  std::vector<exact::Rational> witness;  // a value per variable
};

// SP0503, SP0504, SP0101 naming the field.
exact::Result<ImplicationStatement> read_implication_statement(const json::Value& value,
                                                               const std::string& where);
exact::Result<ImplicationEvidence> read_implication_evidence(const json::Value& value,
                                                             const ImplicationStatement& statement,
                                                             const std::string& where);

}  // namespace sinkproof::certificate
