#include "certificate/implication.hpp"

#include <algorithm>
#include <vector>

#include "certificate/rule.hpp"
#include "exact/polynomial.hpp"
#include "theory/steps.hpp"

namespace sinkproof::check {
namespace {

using certificate::Constraint;
using certificate::Formula;
using certificate::ImplicationEvidence;
using certificate::ImplicationStatement;
using certificate::ImplicationTerm;
using certificate::Relation;
using exact::Polynomial;

void require_signs(const ImplicationStatement& statement, const ImplicationEvidence& evidence,
                   const std::string& where) {
  const auto demand = [&](bool condition, const std::string& what) {
    require(condition, where, what, "SP0805");
  };
  const auto is_equation = [&](std::size_t i) {
    return statement.hypotheses[i].relation == Relation::kZero;
  };
  // The coefficient and the factors, all of them, wherever the hypotheses hold.
  const auto is_positive = [&](const ImplicationTerm& term) {
    return term.coefficient > 0 &&
           std::all_of(term.factors.begin(), term.factors.end(), [&](std::size_t i) {
             return statement.hypotheses[i].relation == Relation::kPositive;
           });
  };
  demand(is_positive(evidence.multiplier),
         "the multiplier of the conclusion is not certainly positive");
  bool has_positive_term = false;
  for (const ImplicationTerm& term : evidence.terms) {
    demand(term.coefficient > 0, "a term's coefficient is not positive");
    demand(std::none_of(term.factors.begin(), term.factors.end(), is_equation),
           "a term multiplies an equation; use a cofactor");
    const Polynomial& square = term.square.polynomial;
    const bool is_nonzero_constant = !square.is_zero() && square.degree() == 0;
    has_positive_term = has_positive_term || (is_nonzero_constant && is_positive(term));
  }
  for (const auto& cofactor : evidence.cofactors) {
    demand(is_equation(cofactor.hypothesis),
           "a cofactor multiplies a hypothesis that is not an equation");
  }
  demand(statement.conclusion.relation != Relation::kZero || evidence.terms.empty(),
         "an equation follows from equations only");
  demand(statement.conclusion.relation != Relation::kPositive || has_positive_term,
         "no term is certainly positive, so the conclusion is not strict");
}

// The term's coefficient times the hypotheses that are its factors, times `others`, from left to
// right.
Formula product(const ImplicationStatement& statement, const ImplicationTerm& term,
                const std::vector<const Formula*>& others, const std::string& where) {
  Formula result{Polynomial::constant(term.coefficient)};
  for (const std::size_t i : term.factors) {
    result = certificate::multiply(result, statement.hypotheses[i].formula, where);
  }
  for (const Formula* other : others) result = certificate::multiply(result, *other, where);
  return result;
}

Formula right_side(const ImplicationStatement& statement, const ImplicationEvidence& evidence,
                   const std::string& where) {
  Formula sum;
  for (const ImplicationTerm& term : evidence.terms) {
    certificate::add(sum, product(statement, term, {&term.square, &term.square}, where), where);
  }
  for (const auto& [hypothesis, cofactor] : evidence.cofactors) {
    const Formula& equation = statement.hypotheses[hypothesis].formula;
    certificate::add(sum, certificate::multiply(cofactor, equation, where), where);
  }
  return sum;
}

bool satisfies(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const exact::Rational value = constraint.formula.polynomial.evaluate(point);
  if (constraint.relation == Relation::kZero) return value == 0;
  return constraint.relation == Relation::kPositive ? value > 0 : value >= 0;
}

}  // namespace

void check_implication(const json::Value& statement_json, const json::Value& evidence_json,
                       const std::string& where) {
  const auto statement = certificate::read_implication_statement(statement_json, where);
  const auto evidence = certificate::read_implication_evidence(evidence_json, statement, where);
  require_signs(statement, evidence, where);
  const Formula left =
      product(statement, evidence.multiplier, {&statement.conclusion.formula}, where);
  require(left.polynomial == right_side(statement, evidence, where).polynomial, where,
          "the multipliers do not add up to the conclusion", "SP0804");
  for (std::size_t i = 0; i < statement.hypotheses.size(); ++i) {
    require(satisfies(statement.hypotheses[i], evidence.witness), where,
            "the witness violates hypothesis " + statement.hypothesis_names[i], "SP0806");
  }
}

void check_polynomial_identity(const json::Value& statement, const json::Value&,
                               const std::string& where) {
  for (const auto& identity : certificate::read_identities(statement, where)) {
    require(identity.left.polynomial == identity.right.polynomial, where + ": " + identity.name,
            "the two sides expand to different polynomials", "SP0804");
  }
}

}  // namespace sinkproof::check
