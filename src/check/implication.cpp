#include "check/implication.hpp"

#include <vector>

#include "certificate/implication.hpp"
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

// coefficient times the factors, from left to right.
exact::Result<Formula> times(Formula product, const std::vector<const Formula*>& factors,
                             Work& work, const std::string& where) {
  for (const Formula* factor : factors) {
    auto next = certificate::multiply(product, *factor, work, where);
    if (!next) return next;
    product = *std::move(next);
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

exact::Result<Formula> left_side(const ImplicationStatement& statement,
                                 const ImplicationEvidence& evidence, Work& work,
                                 const std::string& where) {
  return times(constant(evidence.multiplier_coefficient, evidence.multiplier_size),
               formulas(statement, evidence.multiplier_factors, {&statement.conclusion.formula}),
               work, where);
}

exact::Result<Formula> right_side(const ImplicationStatement& statement,
                                  const ImplicationEvidence& evidence, Work& work,
                                  const std::string& where) {
  Formula sum;
  for (const ImplicationTerm& term : evidence.terms) {
    auto product =
        times(constant(term.coefficient, term.coefficient_size),
              formulas(statement, term.factors, {&term.square, &term.square}), work, where);
    if (!product) return product;
    if (auto added = certificate::add(sum, *product, work, where); !added) {
      return tl::unexpected(added.error());
    }
  }
  for (const auto& [hypothesis, cofactor] : evidence.cofactors) {
    auto product =
        certificate::multiply(cofactor, statement.hypotheses[hypothesis].formula, work, where);
    if (!product) return product;
    if (auto added = certificate::add(sum, *product, work, where); !added) {
      return tl::unexpected(added.error());
    }
  }
  return sum;
}

exact::Result<void> check_identity(const ImplicationStatement& statement,
                                   const ImplicationEvidence& evidence, Work& work,
                                   const std::string& where) {
  const auto left = left_side(statement, evidence, work, where);
  if (!left) return tl::unexpected(left.error());
  const auto right = right_side(statement, evidence, work, where);
  if (!right) return tl::unexpected(right.error());
  if (left->polynomial == right->polynomial) return {};
  return exact::fail("SP0804", where, "the multipliers do not add up to the conclusion");
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
exact::Result<void> spend_evaluation(const Formula& formula, std::uint64_t witness, Work& work,
                                     const std::string& where) {
  constexpr std::uint64_t kBitsOfCharacter = 4;
  const std::uint64_t degree = formula.polynomial.degree();
  const std::uint64_t size =
      certificate::sum_of({formula.size, certificate::product_of({degree, witness})});
  return work.spend(
      {certificate::units_of_term(formula.variables), formula.polynomial.terms().size(), degree + 1,
       certificate::cost_of(certificate::product_of({kBitsOfCharacter, size}))},
      where);
}

exact::Result<void> check_witness(const ImplicationStatement& statement,
                                  const ImplicationEvidence& evidence, Work& work,
                                  const std::string& where) {
  for (std::size_t i = 0; i < statement.hypotheses.size(); ++i) {
    if (auto spent =
            spend_evaluation(statement.hypotheses[i].formula, evidence.witness_size, work, where);
        !spent) {
      return spent;
    }
    if (!satisfies(statement.hypotheses[i], evidence.witness)) {
      return exact::fail("SP0806", where,
                         "the witness violates hypothesis " + statement.hypothesis_names[i]);
    }
  }
  return {};
}

}  // namespace

exact::Result<void> check_implication(const json::Value& statement_json,
                                      const json::Value& evidence_json, Work& work,
                                      const std::string& where) {
  const auto statement = certificate::read_implication_statement(statement_json, work, where);
  if (!statement) return tl::unexpected(statement.error());
  const auto evidence =
      certificate::read_implication_evidence(evidence_json, *statement, work, where);
  if (!evidence) return tl::unexpected(evidence.error());
  if (auto signs = check_signs(*statement, *evidence, where); !signs) return signs;
  if (auto holds = check_identity(*statement, *evidence, work, where); !holds) return holds;
  return check_witness(*statement, *evidence, work, where);
}

}  // namespace sinkproof::check
