#include "certificate/implication.hpp"

#include <algorithm>

#include "certificate/expression.hpp"
#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using json::Value;

Relation read_relation(const Value& object, const std::string& where) {
  const std::string sign = text(object, "relation", where);
  if (sign == ">") return Relation::kPositive;
  if (sign == ">=") return Relation::kNonNegative;
  require(sign == "=", where, "relation must be \">\", \">=\" or \"=\"", "SP0503");
  return Relation::kZero;
}

// Characters of the string `name` of `object`; the field is known to hold one.
std::uint64_t size_of(const Value& object, const std::string& name) {
  return object[name].get_ref<const std::string&>().size();
}

std::string entry_of(const std::string& where, std::size_t i) {
  return where + "[" + std::to_string(i) + "]";
}

Constraint read_constraint(const Value& object, const std::vector<std::string>& variables,
                           Work& work, const std::string& where) {
  const Relation relation = read_relation(object, where);
  return {read_expression(object["polynomial"], variables, work, where + ".polynomial"), relation};
}

void read_hypotheses(const Value& list, ImplicationStatement& statement, Work& work,
                     const std::string& where) {
  auto& names = statement.hypothesis_names;
  for (const Value& entry : list) {
    keys(entry, {"name", "polynomial", "relation"}, where);
    const std::string name = text(entry, "name", where);
    require(is_variable_name(name) && (names.empty() || names.back() < name), where,
            "hypothesis names must be names, distinct and sorted", "SP0503");
    std::string place = where;
    place += "." + name;
    statement.hypotheses.push_back(read_constraint(entry, statement.variables, work, place));
    names.push_back(name);
  }
}

std::size_t find_hypothesis(const std::string& name, const ImplicationStatement& statement,
                            const std::string& where) {
  const auto& names = statement.hypothesis_names;
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  require(found != names.end() && *found == name, where,
          "no hypothesis \"" + name.substr(0, 40) + "\"", "SP0503");
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::size_t> read_factors(const Value& object, const ImplicationStatement& statement,
                                      const std::string& where) {
  std::vector<std::size_t> factors;
  for (const std::string& name : texts(object, "factors", where)) {
    factors.push_back(find_hypothesis(name, statement, where + ".factors"));
  }
  return factors;
}

void read_multiplier(const Value& object, const ImplicationStatement& statement,
                     ImplicationEvidence& evidence, const std::string& where) {
  keys(object, {"coefficient", "factors"}, where);
  evidence.multiplier_coefficient = number(object, "coefficient", where);
  evidence.multiplier_size = size_of(object, "coefficient");
  evidence.multiplier_factors = read_factors(object, statement, where);
}

ImplicationTerm read_term(const Value& object, const ImplicationStatement& statement, Work& work,
                          const std::string& where) {
  keys(object, {"coefficient", "factors", "square"}, where);
  const exact::Rational coefficient = number(object, "coefficient", where);
  return {coefficient, size_of(object, "coefficient"), read_factors(object, statement, where),
          read_expression(object["square"], statement.variables, work, where + ".square")};
}

ImplicationCofactor read_cofactor(const Value& object, const ImplicationStatement& statement,
                                  Work& work, const std::string& where) {
  keys(object, {"hypothesis", "polynomial"}, where);
  return {find_hypothesis(text(object, "hypothesis", where), statement, where),
          read_expression(object["polynomial"], statement.variables, work, where + ".polynomial")};
}

}  // namespace

ImplicationStatement read_implication_statement(const Value& value, Work& work,
                                                const std::string& where) {
  keys(value, {"conclusion", "hypotheses", "scope", "variables"}, where);
  ImplicationStatement statement;
  statement.variables = read_variables(value, where);
  read_hypotheses(list(value, "hypotheses", where), statement, work, where + ".hypotheses");
  const Value& conclusion = value["conclusion"];
  keys(conclusion, {"polynomial", "relation"}, where + ".conclusion");
  statement.conclusion =
      read_constraint(conclusion, statement.variables, work, where + ".conclusion");
  return statement;
}

ImplicationEvidence read_implication_evidence(const Value& value,
                                              const ImplicationStatement& statement, Work& work,
                                              const std::string& where) {
  keys(value, {"cofactors", "multiplier", "terms", "witness"}, where);
  const Value& terms = list(value, "terms", where);
  const Value& cofactors = list(value, "cofactors", where);
  ImplicationEvidence evidence;
  read_multiplier(value["multiplier"], statement, evidence, where + ".multiplier");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    evidence.terms.push_back(read_term(terms[i], statement, work, entry_of(where + ".terms", i)));
  }
  for (std::size_t i = 0; i < cofactors.size(); ++i) {
    evidence.cofactors.push_back(
        read_cofactor(cofactors[i], statement, work, entry_of(where + ".cofactors", i)));
  }
  const Value& witness = value["witness"];
  keys(witness, statement.variables, where + ".witness");
  for (const std::string& variable : statement.variables) {
    evidence.witness.push_back(number(witness, variable, where + ".witness"));
    evidence.witness_size += size_of(witness, variable);
  }
  return evidence;
}

}  // namespace sinkproof::certificate
