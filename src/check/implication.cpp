#include "check/implication.hpp"

#include <vector>

#include "certificate/implication.hpp"
#include "exact/polynomial.hpp"

namespace sinkproof::check {
namespace {

using certificate::Constraint;
using certificate::ImplicationEvidence;
using certificate::ImplicationStatement;
using certificate::ImplicationTerm;
using certificate::Relation;
using exact::Polynomial;

bool is_nonzero_constant(const Polynomial& polynomial) {
  return !polynomial.is_zero() && polynomial.degree() == 0;
}

bool all_positive(const std::vector<std::size_t>& factors, const ImplicationStatement& statement) {
  for (const std::size_t i : factors) {
    if (statement.hypotheses[i].relation != Relation::kPositive) return false;
  }
  return true;
}

// > 0 wherever the hypotheses hold, whatever the point.
bool is_positive(const ImplicationTerm& term, const ImplicationStatement& statement) {
  return is_nonzero_constant(term.square) && all_positive(term.factors, statement);
}

exact::Result<void> check_signs(const ImplicationStatement& statement,
                                const ImplicationEvidence& evidence, const std::string& where) {
  const auto refuse = [&](const std::string& what) { return exact::fail("SP0805", where, what); };
  if (evidence.multiplier_coefficient <= 0 ||
      !all_positive(evidence.multiplier_factors, statement)) {
    return refuse("the multiplier of the conclusion is not certainly positive");
  }
  bool has_positive_term = false;
  for (const ImplicationTerm& term : evidence.terms) {
    if (term.coefficient <= 0) return refuse("a term's coefficient is not positive");
    for (const std::size_t i : term.factors) {
      if (statement.hypotheses[i].relation == Relation::kZero) {
        return refuse("a term multiplies an equation: use a cofactor");
      }
    }
    has_positive_term = has_positive_term || is_positive(term, statement);
  }
  for (const auto& cofactor : evidence.cofactors) {
    if (statement.hypotheses[cofactor.hypothesis].relation != Relation::kZero) {
      return refuse("a cofactor multiplies a hypothesis that is no equation");
    }
  }
  if (statement.conclusion.relation == Relation::kZero && !evidence.terms.empty()) {
    return refuse("an equation follows from equations only");
  }
  if (statement.conclusion.relation == Relation::kPositive && !has_positive_term) {
    return refuse("no term is certainly positive, so the conclusion is not strict");
  }
  return {};
}

Polynomial times(Polynomial product, const std::vector<std::size_t>& factors,
                 const ImplicationStatement& statement) {
  for (const std::size_t i : factors) product = product * statement.hypotheses[i].polynomial;
  return product;
}

bool identity_holds(const ImplicationStatement& statement, const ImplicationEvidence& evidence) {
  const Polynomial left = times(Polynomial::constant(evidence.multiplier_coefficient),
                                evidence.multiplier_factors, statement) *
                          statement.conclusion.polynomial;
  Polynomial right;
  for (const ImplicationTerm& term : evidence.terms) {
    right += times(Polynomial::constant(term.coefficient), term.factors, statement) * term.square *
             term.square;
  }
  for (const auto& cofactor : evidence.cofactors) {
    right += cofactor.cofactor * statement.hypotheses[cofactor.hypothesis].polynomial;
  }
  return left == right;
}

bool satisfies(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const int sign = exact::sign(constraint.polynomial.evaluate(point));
  switch (constraint.relation) {
    case Relation::kPositive:
      return sign > 0;
    case Relation::kNonNegative:
      return sign >= 0;
    case Relation::kZero:
      return sign == 0;
  }
  return false;
}

exact::Result<void> check_witness(const ImplicationStatement& statement,
                                  const ImplicationEvidence& evidence, const std::string& where) {
  for (std::size_t i = 0; i < statement.hypotheses.size(); ++i) {
    if (!satisfies(statement.hypotheses[i], evidence.witness)) {
      return exact::fail("SP0806", where,
                         "the witness violates hypothesis " + statement.hypothesis_names[i]);
    }
  }
  return {};
}

}  // namespace

exact::Result<void> check_implication(const json::Value& statement_json,
                                      const json::Value& evidence_json, const std::string& where) {
  const auto statement = certificate::read_implication_statement(statement_json, where);
  if (!statement) return tl::unexpected(statement.error());
  const auto evidence = certificate::read_implication_evidence(evidence_json, *statement, where);
  if (!evidence) return tl::unexpected(evidence.error());
  if (auto signs = check_signs(*statement, *evidence, where); !signs) return signs;
  if (!identity_holds(*statement, *evidence)) {
    return exact::fail("SP0804", where, "the multipliers do not add up to the conclusion");
  }
  return check_witness(*statement, *evidence, where);
}

}  // namespace sinkproof::check
