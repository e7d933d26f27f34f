#include "prove/exact_step.hpp"

#include <algorithm>

#include "prove/polynomial_text.hpp"

namespace sinkproof::prove {
namespace {

using certificate::Constraint;
using certificate::Hypothesis;
using certificate::Implication;
using certificate::ImplicationTerm;
using certificate::Relation;
using exact::Polynomial;
using exact::Result;

Result<void> fails(const std::string& where, const std::string& what) {
  return exact::fail("SP0714", where, what);
}

// multiplier * conclusion - sum of terms - sum of cofactors, which has to vanish.
Polynomial defect(const Implication& step) {
  const auto hypothesis = [&](std::size_t i) -> const Polynomial& {
    return step.hypotheses[i].expression.polynomial;
  };
  Polynomial left = step.conclusion.expression.polynomial;
  for (const std::size_t i : step.multiplier.factors) left = left * hypothesis(i);
  Polynomial rest = left * Polynomial::constant(step.multiplier.coefficient);
  for (const ImplicationTerm& term : step.terms) {
    const Polynomial& root = term.square.polynomial;
    Polynomial product = root * root * Polynomial::constant(term.coefficient);
    for (const std::size_t i : term.factors) product = product * hypothesis(i);
    rest -= product;
  }
  for (const auto& cofactor : step.cofactors) {
    rest -= hypothesis(cofactor.hypothesis) * cofactor.expression.polynomial;
  }
  return rest;
}

Result<void> verify_signs(const Implication& step, const std::string& where) {
  const auto relation = [&](std::size_t i) { return step.hypotheses[i].relation; };
  const auto is_strict = [&](std::size_t i) { return relation(i) == Relation::kPositive; };
  const auto is_equation = [&](std::size_t i) { return relation(i) == Relation::kZero; };
  const auto& positive = step.multiplier.factors;
  if (step.multiplier.coefficient <= 0 ||
      !std::all_of(positive.begin(), positive.end(), is_strict)) {
    return fails(
        where,
        "the multiplier's coefficient must be positive and its factors hypotheses of relation >");
  }
  bool strict = false;
  for (const ImplicationTerm& term : step.terms) {
    if (term.coefficient <= 0) return fails(where, "the coefficients of terms must be positive");
    if (std::any_of(term.factors.begin(), term.factors.end(), is_equation)) {
      return fails(where, "an equation takes a cofactor, not a term");
    }
    strict = strict || (!term.square.polynomial.is_zero() && term.square.polynomial.degree() == 0 &&
                        std::all_of(term.factors.begin(), term.factors.end(), is_strict));
  }
  for (const auto& cofactor : step.cofactors) {
    if (!is_equation(cofactor.hypothesis)) return fails(where, "only equations take cofactors");
  }
  if (step.conclusion.relation == Relation::kZero && !step.terms.empty()) {
    return fails(where, "an equation follows from equations only");
  }
  if (step.conclusion.relation == Relation::kPositive && !strict) {
    return fails(
        where,
        "the conclusion is strict, and no term is certainly positive: one needs a constant square "
        "other than 0 and factors of relation > only");
  }
  return {};
}

bool holds_at(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const exact::Rational value = constraint.expression.polynomial.evaluate(point);
  if (constraint.relation == Relation::kZero) return value == 0;
  return constraint.relation == Relation::kPositive ? value > 0 : value >= 0;
}

}  // namespace

Result<void> verify(const Implication& step, const std::string& where) {
  if (auto signs = verify_signs(step, where); !signs) return signs;
  for (const Hypothesis& hypothesis : step.hypotheses) {
    if (!holds_at(hypothesis, step.witness)) {
      return fails(where, "the witness violates " + hypothesis.name);
    }
  }
  const Polynomial rest = defect(step);
  if (!rest.is_zero()) {
    return fails(where,
                 "the multipliers do not add up to the conclusion: multiplier x conclusion "
                 "- terms - cofactors leaves " +
                     polynomial_text(rest, step.variables));
  }
  return {};
}

Result<void> verify(const certificate::Identities& step, const std::string& where) {
  for (const auto& identity : step.identities) {
    const Polynomial difference = identity.left.polynomial - identity.right.polynomial;
    if (difference.is_zero()) continue;
    return fails(where, "identity " + identity.name + " does not hold: left - right is " +
                            polynomial_text(difference, step.variables));
  }
  return {};
}

}  // namespace sinkproof::prove
