#include <algorithm>
#include <vector>

#include "certificate/rule.hpp"
#include "exact/polynomial.hpp"
#include "theory/steps.hpp"

namespace sinkproof::check {
namespace {

using certificate::Constraint;
using certificate::Hypothesis;
using certificate::Implication;
using certificate::ImplicationTerm;
using certificate::Relation;
using exact::Polynomial;

void require_signs(const Implication& step, const std::string& where) {
  const auto demand = [&](bool condition, const std::string& what) {
    require(condition, where, what, "SP0805");
  };
  const auto is_equation = [&](std::size_t i) {
    return step.hypotheses[i].relation == Relation::kZero;
  };
  // The coefficient and the factors, all of them, wherever the hypotheses hold.
  const auto is_positive = [&](const ImplicationTerm& term) {
    return term.coefficient > 0 &&
           std::all_of(term.factors.begin(), term.factors.end(), [&](std::size_t i) {
             return step.hypotheses[i].relation == Relation::kPositive;
           });
  };
  demand(is_positive(step.multiplier),
         "the multiplier of the conclusion is not certainly positive");
  bool has_positive_term = false;
  for (const ImplicationTerm& term : step.terms) {
    demand(term.coefficient > 0, "a term's coefficient is not positive");
    demand(std::none_of(term.factors.begin(), term.factors.end(), is_equation),
           "a term multiplies an equation; use a cofactor");
    const Polynomial& square = term.square.polynomial;
    const bool is_nonzero_constant = !square.is_zero() && square.degree() == 0;
    has_positive_term = has_positive_term || (is_nonzero_constant && is_positive(term));
  }
  for (const auto& cofactor : step.cofactors) {
    demand(is_equation(cofactor.hypothesis),
           "a cofactor multiplies a hypothesis that is not an equation");
  }
  demand(step.conclusion.relation != Relation::kZero || step.terms.empty(),
         "an equation follows from equations only");
  demand(step.conclusion.relation != Relation::kPositive || has_positive_term,
         "no term is certainly positive, so the conclusion is not strict");
}

// The term's coefficient times the hypotheses that are its factors, times `others`, from left to
// right.
Polynomial product(const Implication& step, const ImplicationTerm& term,
                   const std::vector<const Polynomial*>& others, const std::string& where) {
  Polynomial result = Polynomial::constant(term.coefficient);
  for (const std::size_t i : term.factors) {
    result = certificate::multiply(result, step.hypotheses[i].expression.polynomial, where);
  }
  for (const Polynomial* other : others) result = certificate::multiply(result, *other, where);
  return result;
}

Polynomial right_side(const Implication& step, const std::string& where) {
  Polynomial sum;
  for (const ImplicationTerm& term : step.terms) {
    const Polynomial& square = term.square.polynomial;
    certificate::add(sum, product(step, term, {&square, &square}, where), where);
  }
  for (const auto& [hypothesis, cofactor] : step.cofactors) {
    const Polynomial& equation = step.hypotheses[hypothesis].expression.polynomial;
    certificate::add(sum, certificate::multiply(cofactor.polynomial, equation, where), where);
  }
  return sum;
}

bool satisfies(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const exact::Rational value = constraint.expression.polynomial.evaluate(point);
  if (constraint.relation == Relation::kZero) return value == 0;
  return constraint.relation == Relation::kPositive ? value > 0 : value >= 0;
}

}  // namespace

void check_exactly(const Implication& step, const std::string& where) {
  require_signs(step, where);
  const Polynomial left =
      product(step, step.multiplier, {&step.conclusion.expression.polynomial}, where);
  require(left == right_side(step, where), where, "the multipliers do not add up to the conclusion",
          "SP0804");
  for (const Hypothesis& hypothesis : step.hypotheses) {
    require(satisfies(hypothesis, step.witness), where,
            "the witness violates hypothesis " + hypothesis.name, "SP0806");
  }
}

void check_exactly(const certificate::Identities& step, const std::string& where) {
  for (const auto& identity : step.identities) {
    require(identity.left.polynomial == identity.right.polynomial, where + ": " + identity.name,
            "the two sides expand to different polynomials", "SP0804");
  }
}

}  // namespace sinkproof::check
