#include "certificate/implication.hpp"

#include <vector>

#include "certificate/identity.hpp"
#include "check/rejected.hpp"
#include "check/steps.hpp"
#include "exact/polynomial.hpp"

namespace sinkproof::check {
namespace {

using certificate::Constraint;
using certificate::Formula;
using certificate::ImplicationEvidence;
using certificate::ImplicationStatement;
using certificate::ImplicationTerm;
using certificate::Relation;
using certificate::Work;
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
  return is_nonzero_constant(term.square.polynomial) && all_positive(term.factors, statement);
}

void require_signs(const ImplicationStatement& statement, const ImplicationEvidence& evidence,
                   const std::string& where) {
  const auto demand = [&](bool condition, const std::string& what) {
    require(condition, where, what, "SP0805");
  };
  demand(
      evidence.multiplier_coefficient > 0 && all_positive(evidence.multiplier_factors, statement),
      "the multiplier of the conclusion is not certainly positive");
  bool has_positive_term = false;
  for (const ImplicationTerm& term : evidence.terms) {
    demand(term.coefficient > 0, "a term's coefficient is not positive");
    for (const std::size_t i : term.factors) {
      demand(statement.hypotheses[i].relation != Relation::kZero,
             "a term multiplies an equation: use a cofactor");
    }
    has_positive_term = has_positive_term || is_positive(term, statement);
  }
  for (const auto& cofactor : evidence.cofactors) {
    demand(statement.hypotheses[cofactor.hypothesis].relation == Relation::kZero,
           "a cofactor multiplies a hypothesis that is no equation");
  }
  demand(statement.conclusion.relation != Relation::kZero || evidence.terms.empty(),
         "an equation follows from equations only");
  demand(statement.conclusion.relation != Relation::kPositive || has_positive_term,
         "no term is certainly positive, so the conclusion is not strict");
}

// coefficient times the factors, from left to right.
Formula times(Formula product, const std::vector<const Formula*>& factors, Work& work,
              const std::string& where) {
  for (const Formula* factor : factors) {
    product = certificate::multiply(product, *factor, work, where);
  }
  return product;
}

// The hypotheses that `factors` names, then the others.
std::vector<const Formula*> formulas(const ImplicationStatement& statement,
                                     const std::vector<std::size_t>& factors,
                                     const std::vector<const Formula*>& others) {
  std::vector<const Formula*> list;
  list.reserve(factors.size() + others.size());
  for (const std::size_t i : factors) list.push_back(&statement.hypotheses[i].formula);
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

Formula constant(const exact::Rational& value, std::uint64_t size) {
  return {Polynomial::constant(value), size, 0};  // what it is multiplied by has the variables
}

Formula left_side(const ImplicationStatement& statement, const ImplicationEvidence& evidence,
                  Work& work, const std::string& where) {
  return times(constant(evidence.multiplier_coefficient, evidence.multiplier_size),
               formulas(statement, evidence.multiplier_factors, {&statement.conclusion.formula}),
               work, where);
}

Formula right_side(const ImplicationStatement& statement, const ImplicationEvidence& evidence,
                   Work& work, const std::string& where) {
  Formula sum;
  for (const ImplicationTerm& term : evidence.terms) {
    const Formula product =
        times(constant(term.coefficient, term.coefficient_size),
              formulas(statement, term.factors, {&term.square, &term.square}), work, where);
    certificate::add(sum, product, work, where);
  }
  for (const auto& [hypothesis, cofactor] : evidence.cofactors) {
    const Formula product =
        certificate::multiply(cofactor, statement.hypotheses[hypothesis].formula, work, where);
    certificate::add(sum, product, work, where);
  }
  return sum;
}

bool satisfies(const Constraint& constraint, const std::vector<exact::Rational>& point) {
  const int sign = exact::sign(constraint.formula.polynomial.evaluate(point));
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

// The value of a polynomial at a point whose numbers have `witness` characters together.
void spend_evaluation(const Formula& formula, std::uint64_t witness, Work& work,
                      const std::string& where) {
  constexpr std::uint64_t kBitsOfCharacter = 4;
  const std::uint64_t degree = formula.polynomial.degree();
  const std::uint64_t size =
      certificate::sum_of({formula.size, certificate::product_of({degree, witness})});
  work.spend({certificate::units_of_term(formula.variables), formula.polynomial.terms().size(),
              degree + 1, certificate::cost_of(certificate::product_of({kBitsOfCharacter, size}))},
             where);
}

}  // namespace

void check_implication(const json::Value& statement_json, const json::Value& evidence_json,
                       Work& work, const std::string& where) {
  const auto statement = certificate::read_implication_statement(statement_json, work, where);
  const auto evidence =
      certificate::read_implication_evidence(evidence_json, statement, work, where);
  require_signs(statement, evidence, where);
  const Formula left = left_side(statement, evidence, work, where);
  require(left.polynomial == right_side(statement, evidence, work, where).polynomial, where,
          "the multipliers do not add up to the conclusion", "SP0804");
  for (std::size_t i = 0; i < statement.hypotheses.size(); ++i) {
    spend_evaluation(statement.hypotheses[i].formula, evidence.witness_size, work, where);
    require(satisfies(statement.hypotheses[i], evidence.witness), where,
            "the witness violates hypothesis " + statement.hypothesis_names[i], "SP0806");
  }
}

void check_polynomial_identity(const json::Value& statement, Work& work, const std::string& where) {
  for (const auto& identity : certificate::read_identities(statement, work, where)) {
    require(identity.left.polynomial == identity.right.polynomial, where + ": " + identity.name,
            "the two sides expand to different polynomials", "SP0804");
  }
}

}  // namespace sinkproof::check
