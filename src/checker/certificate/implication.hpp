// The rules about polynomials (FORMAT.md, 3.3 and 3.4). `implication`: polynomial hypotheses, a
// polynomial conclusion, and multipliers that show how the conclusion follows.
// `polynomial-identity`: pairs of formulas claimed to be the same polynomial. This file only reads
// them; whether the identities hold is for check/ and prove/ to say, each on its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/formula.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

enum class Relation { kPositive, kNonNegative, kZero };  // polynomial > 0, >= 0, = 0

struct Constraint {
  Expression expression;
  Relation relation = Relation::kNonNegative;
};

struct Hypothesis : Constraint {
  std::string name;
};

// coefficient * product of hypotheses (by index, repeats allowed) * square^2; the multiplier of the
// conclusion has no square.
struct ImplicationTerm {
  exact::Rational coefficient;
  std::vector<std::size_t> factors;
  Expression square{};
};

// expression * hypothesis, for a hypothesis that is an equation.
struct ImplicationCofactor {
  std::size_t hypothesis = 0;
  Expression expression;
};

struct Implication {
  static constexpr std::string_view kName = "implication";
  // The statement.
  std::string scope;
  std::vector<std::string> variables;
  std::vector<Hypothesis> hypotheses;  // sorted by name
  Constraint conclusion;
  // The evidence.
  ImplicationTerm multiplier;
  std::vector<ImplicationTerm> terms;
  std::vector<ImplicationCofactor> cofactors;
  std::vector<exact::Rational> witness;  // a value per variable
  bool has_solvers = false;              // their word besides
};

struct Identity {
  std::string name;
  Expression left;
  Expression right;
};

struct Identities {
  static constexpr std::string_view kName = "polynomial-identity";
  std::string scope;
  std::vector<std::string> variables;
  std::vector<Identity> identities;  // sorted by name, at least one
};

// Each refuses with SP0503, SP0504, SP0101 naming the field; SP0503 also an identity whose two
// sides are the same text, which says nothing.
class Fields;
void describe(Fields& io, Implication& of);
void describe(Fields& io, Identities& of);

}  // namespace sinkproof::certificate
