#include "certificate/implication.hpp"

#include <algorithm>

#include "certificate/expression.hpp"
#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Error;
using exact::Result;

Result<Relation> read_relation(const json::Value& object, const std::string& where) {
  const auto text = string_field(object, "relation", where);
  if (!text) return tl::unexpected(text.error());
  if (*text == ">") return Relation::kPositive;
  if (*text == ">=") return Relation::kNonNegative;
  if (*text == "=") return Relation::kZero;
  return exact::fail("SP0503", where, "relation must be \">\", \">=\" or \"=\"");
}

// The field `name` of `object` as a polynomial; the key is known to be there.
Result<Formula> expression_field(const json::Value& object, const std::string& name,
                                 const std::vector<std::string>& variables, Work& work,
                                 const std::string& where) {
  return read_expression(object.at(name), variables, work, where + "." + name);
}

// Characters of the string `name` of `object`; the field is known to hold one.
std::uint64_t size_of(const json::Value& object, const std::string& name) {
  return object.at(name).get_ref<const std::string&>().size();
}

Result<Constraint> read_constraint(const json::Value& object,
                                   const std::vector<std::string>& variables, Work& work,
                                   const std::string& where) {
  const auto relation = read_relation(object, where);
  if (!relation) return tl::unexpected(relation.error());
  auto polynomial = expression_field(object, "polynomial", variables, work, where);
  if (!polynomial) return tl::unexpected(polynomial.error());
  return Constraint{std::move(*polynomial), *relation};
}

Result<void> read_hypotheses(const json::Value& list, ImplicationStatement& statement, Work& work,
                             const std::string& where) {
  for (const json::Value& entry : list) {
    if (auto keys = only_keys(entry, {"name", "polynomial", "relation"}, where); !keys) return keys;
    auto name = string_field(entry, "name", where);
    if (!name) return tl::unexpected(name.error());
    auto& names = statement.hypothesis_names;
    if (!is_variable_name(*name) || (!names.empty() && names.back() >= *name)) {
      return exact::fail("SP0503", where, "hypothesis names must be names, distinct and sorted");
    }
    auto constraint = read_constraint(entry, statement.variables, work, where + "." + *name);
    if (!constraint) return tl::unexpected(constraint.error());
    names.push_back(std::move(*name));
    statement.hypotheses.push_back(std::move(*constraint));
  }
  return {};
}

Result<std::size_t> find_hypothesis(const std::string& name, const ImplicationStatement& statement,
                                    const std::string& where) {
  const auto& names = statement.hypothesis_names;
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  if (found == names.end() || *found != name) {
    return exact::fail("SP0503", where, "no hypothesis \"" + name.substr(0, 40) + "\"");
  }
  return static_cast<std::size_t>(found - names.begin());
}

Result<std::vector<std::size_t>> read_factors(const json::Value& object,
                                              const ImplicationStatement& statement,
                                              const std::string& where) {
  const auto names = strings_field(object, "factors", where);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::size_t> factors;
  for (const std::string& name : *names) {
    const auto index = find_hypothesis(name, statement, where + ".factors");
    if (!index) return tl::unexpected(index.error());
    factors.push_back(*index);
  }
  return factors;
}

Result<void> read_multiplier(const json::Value& object, const ImplicationStatement& statement,
                             ImplicationEvidence& evidence, const std::string& where) {
  if (auto keys = only_keys(object, {"coefficient", "factors"}, where); !keys) return keys;
  auto coefficient = rational_field(object, "coefficient", where);
  if (!coefficient) return tl::unexpected(coefficient.error());
  auto factors = read_factors(object, statement, where);
  if (!factors) return tl::unexpected(factors.error());
  evidence.multiplier_coefficient = *coefficient;
  evidence.multiplier_size = size_of(object, "coefficient");
  evidence.multiplier_factors = std::move(*factors);
  return {};
}

Result<void> read_terms(const json::Value& list, const ImplicationStatement& statement,
                        ImplicationEvidence& evidence, Work& work, const std::string& where) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string here = where + "[" + std::to_string(i) + "]";
    if (auto keys = only_keys(list[i], {"coefficient", "factors", "square"}, here); !keys) {
      return keys;
    }
    auto coefficient = rational_field(list[i], "coefficient", here);
    if (!coefficient) return tl::unexpected(coefficient.error());
    auto factors = read_factors(list[i], statement, here);
    if (!factors) return tl::unexpected(factors.error());
    auto square = expression_field(list[i], "square", statement.variables, work, here);
    if (!square) return tl::unexpected(square.error());
    evidence.terms.push_back(
        {*coefficient, size_of(list[i], "coefficient"), std::move(*factors), std::move(*square)});
  }
  return {};
}

Result<void> read_cofactors(const json::Value& list, const ImplicationStatement& statement,
                            ImplicationEvidence& evidence, Work& work, const std::string& where) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string here = where + "[" + std::to_string(i) + "]";
    if (auto keys = only_keys(list[i], {"hypothesis", "polynomial"}, here); !keys) return keys;
    const auto name = string_field(list[i], "hypothesis", here);
    if (!name) return tl::unexpected(name.error());
    const auto index = find_hypothesis(*name, statement, here);
    if (!index) return tl::unexpected(index.error());
    auto cofactor = expression_field(list[i], "polynomial", statement.variables, work, here);
    if (!cofactor) return tl::unexpected(cofactor.error());
    evidence.cofactors.push_back({*index, std::move(*cofactor)});
  }
  return {};
}

Result<void> read_witness(const json::Value& object, const ImplicationStatement& statement,
                          ImplicationEvidence& evidence, const std::string& where) {
  if (auto keys = only_keys(object, statement.variables, where); !keys) return keys;
  for (const std::string& variable : statement.variables) {
    const auto value = rational_field(object, variable, where);
    if (!value) return tl::unexpected(value.error());
    evidence.witness.push_back(*value);
    evidence.witness_size += size_of(object, variable);
  }
  return {};
}

}  // namespace

Result<ImplicationStatement> read_implication_statement(const json::Value& value, Work& work,
                                                        const std::string& where) {
  if (auto keys = only_keys(value, {"conclusion", "hypotheses", "scope", "variables"}, where);
      !keys) {
    return tl::unexpected(keys.error());
  }
  ImplicationStatement statement;
  auto variables = read_variables(value, where);
  if (!variables) return tl::unexpected(variables.error());
  statement.variables = std::move(*variables);
  const auto list = array_field(value, "hypotheses", where);
  if (!list) return tl::unexpected(list.error());
  if (auto done = read_hypotheses(**list, statement, work, where + ".hypotheses"); !done) {
    return tl::unexpected(done.error());
  }
  const json::Value& conclusion = value.at("conclusion");
  if (auto keys = only_keys(conclusion, {"polynomial", "relation"}, where + ".conclusion"); !keys) {
    return tl::unexpected(keys.error());
  }
  auto constraint = read_constraint(conclusion, statement.variables, work, where + ".conclusion");
  if (!constraint) return tl::unexpected(constraint.error());
  statement.conclusion = std::move(*constraint);
  return statement;
}

Result<ImplicationEvidence> read_implication_evidence(const json::Value& value,
                                                      const ImplicationStatement& statement,
                                                      Work& work, const std::string& where) {
  if (auto keys = only_keys(value, {"cofactors", "multiplier", "terms", "witness"}, where); !keys) {
    return tl::unexpected(keys.error());
  }
  ImplicationEvidence evidence;
  const auto terms = array_field(value, "terms", where);
  if (!terms) return tl::unexpected(terms.error());
  const auto cofactors = array_field(value, "cofactors", where);
  if (!cofactors) return tl::unexpected(cofactors.error());
  auto done = read_multiplier(value.at("multiplier"), statement, evidence, where + ".multiplier");
  if (done) done = read_terms(**terms, statement, evidence, work, where + ".terms");
  if (done) done = read_cofactors(**cofactors, statement, evidence, work, where + ".cofactors");
  if (done) done = read_witness(value.at("witness"), statement, evidence, where + ".witness");
  if (!done) return tl::unexpected(done.error());
  return evidence;
}

}  // namespace sinkproof::certificate
