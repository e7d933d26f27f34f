#include "prove/exact_step.hpp"

#include <algorithm>

#include "certificate/fields.hpp"
#include "certificate/implication.hpp"
#include "certificate/theory.hpp"
#include "prove/polynomial_text.hpp"

namespace sinkproof::prove {
namespace {

using certificate::Constraint;
using certificate::ImplicationEvidence;
using certificate::ImplicationStatement;
using certificate::ImplicationTerm;
using certificate::Relation;
using exact::Polynomial;
using exact::Result;

Result<void> fails(const std::string& where, const std::string& what) {
  return exact::fail("SP0714", where, what);
}

// multiplier * conclusion - sum of terms - sum of cofactors, which has to vanish.
Polynomial defect(const ImplicationStatement& statement, const ImplicationEvidence& evidence) {
  Polynomial left = statement.conclusion.formula.polynomial;
  for (const std::size_t i : evidence.multiplier.factors) {
    left = left * statement.hypotheses[i].formula.polynomial;
  }
  Polynomial rest = left * Polynomial::constant(evidence.multiplier.coefficient);
  for (const ImplicationTerm& term : evidence.terms) {
    const Polynomial& root = term.square.polynomial;
    Polynomial product = root * root * Polynomial::constant(term.coefficient);
    for (const std::size_t i : term.factors) {
      product = product * statement.hypotheses[i].formula.polynomial;
    }
    rest -= product;
  }
  for (const auto& cofactor : evidence.cofactors) {
    rest -=
        statement.hypotheses[cofactor.hypothesis].formula.polynomial * cofactor.cofactor.polynomial;
  }
  return rest;
}

Result<void> verify_signs(const ImplicationStatement& statement,
                          const ImplicationEvidence& evidence, const std::string& where) {
  const auto relation = [&](std::size_t i) { return statement.hypotheses[i].relation; };
  const auto is_strict = [&](std::size_t i) { return relation(i) == Relation::kPositive; };
  const auto is_equation = [&](std::size_t i) { return relation(i) == Relation::kZero; };
  const auto& positive = evidence.multiplier.factors;
  if (evidence.multiplier.coefficient <= 0 ||
      !std::all_of(positive.begin(), positive.end(), is_strict)) {
    return fails(
        where,
        "the multiplier's coefficient must be positive and its factors hypotheses of relation >");
  }
  bool strict = false;
  for (const ImplicationTerm& term : evidence.terms) {
    if (term.coefficient <= 0) return fails(where, "the coefficients of terms must be positive");
    if (std::any_of(term.factors.begin(), term.factors.end(), is_equation)) {
      return fails(where, "an equation takes a cofactor, not a term");
    }
    strict = strict || (!term.square.polynomial.is_zero() && term.square.polynomial.degree() == 0 &&
                        std::all_of(term.factors.begin(), term.factors.end(), is_strict));
  }
  for (const auto& cofactor : evidence.cofactors) {
    if (!is_equation(cofactor.hypothesis)) return fails(where, "only equations take cofactors");
  }
  if (statement.conclusion.relation == Relation::kZero && !evidence.terms.empty()) {
    return fails(where, "an equation follows from equations only");
  }
  if (statement.conclusion.relation == Relation::kPositive && !strict) {
    return fails(
        where,
        "the conclusion is strict, and no term is certainly positive: one needs a constant square "
        "other than 0 and factors of relation > only");
  }
  return {};
}

bool holds_at(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const exact::Rational value = constraint.formula.polynomial.evaluate(point);
  if (constraint.relation == Relation::kZero) return value == 0;
  return constraint.relation == Relation::kPositive ? value > 0 : value >= 0;
}

}  // namespace

Result<void> verify_implication(const json::Value& content, const std::string& where) {
  std::vector<std::string> names = {"evidence", "statement"};
  if (content.contains("solvers")) names.emplace_back("solvers");
  auto form = certificate::result_of([&] { certificate::keys(content, names, where); });
  if (!form) return form;
  if (content.contains("solvers") && content["solvers"] != certificate::solvers()) {
    return exact::fail("SP0503", where, "solvers is " + certificate::solvers().dump());
  }
  const auto statement = certificate::result_of(
      [&] { return certificate::read_implication_statement(content["statement"], where); });
  if (!statement) return tl::unexpected(statement.error());
  const auto evidence = certificate::result_of([&] {
    return certificate::read_implication_evidence(content["evidence"], *statement, where);
  });
  if (!evidence) return tl::unexpected(evidence.error());
  if (auto signs = verify_signs(*statement, *evidence, where); !signs) return signs;
  for (std::size_t i = 0; i < statement->hypotheses.size(); ++i) {
    if (!holds_at(statement->hypotheses[i], evidence->witness)) {
      return fails(where, "the witness violates " + statement->hypothesis_names[i]);
    }
  }
  const Polynomial rest = defect(*statement, *evidence);
  if (!rest.is_zero()) {
    return fails(where,
                 "the multipliers do not add up to the conclusion: multiplier x conclusion "
                 "- terms - cofactors leaves " +
                     polynomial_text(rest, statement->variables));
  }
  return {};
}

Result<void> verify_identities(const json::Value& content, const std::string& where) {
  auto form = certificate::result_of([&] { certificate::keys(content, {"statement"}, where); });
  if (!form) return form;
  const auto identities = certificate::result_of(
      [&] { return certificate::read_identities(content["statement"], where); });
  if (!identities) return tl::unexpected(identities.error());
  for (const auto& identity : *identities) {
    const Polynomial difference = identity.left.polynomial - identity.right.polynomial;
    if (difference.is_zero()) continue;
    const auto names = content["statement"]["variables"].get<std::vector<std::string>>();
    return fails(where, "identity " + identity.name + " does not hold: left - right is " +
                            polynomial_text(difference, names));
  }
  return {};
}

}  // namespace sinkproof::prove
