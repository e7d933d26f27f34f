#include "certificate/implication.hpp"

#include <algorithm>
#include <map>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using json::Value;

const std::map<std::string, Relation> kRelations = {
    {">", Relation::kPositive}, {">=", Relation::kNonNegative}, {"=", Relation::kZero}};

std::string entry_of(const std::string& where, std::size_t i) {
  return where + "[" + std::to_string(i) + "]";
}

Constraint read_constraint(const Value& object, const std::vector<std::string>& variables,
                           const std::string& where) {
  const Relation relation = at(kRelations, text(object, "relation", where), where,
                               "relation must be \">\", \">=\" or \"=\"", "SP0503");
  return {read_expression(object["polynomial"], variables, where + ".polynomial"), relation};
}

void read_hypotheses(const Value& list, ImplicationStatement& statement, const std::string& where) {
  auto& names = statement.hypothesis_names;
  for (const Value& entry : list) {
    keys(entry, {"name", "polynomial", "relation"}, where);
    const std::string name = text(entry, "name", where);
    require(is_variable_name(name) && (names.empty() || names.back() < name), where,
            "hypothesis names must be names, distinct and sorted", "SP0503");
    std::string place = where;
    place += "." + name;
    statement.hypotheses.push_back(read_constraint(entry, statement.variables, place));
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
  constexpr std::size_t kMaxFactors = 256;
  const std::vector<std::string> names = texts(object, "factors", where);
  require(names.size() <= kMaxFactors, where + ".factors", "more than 256 factors", "SP0504");
  std::vector<std::size_t> factors;
  for (const std::string& name : names) {
    factors.push_back(find_hypothesis(name, statement, where + ".factors"));
  }
  return factors;
}

// The coefficient and the factors, of an object with these keys.
ImplicationTerm read_product(const Value& object, const std::vector<std::string>& expected,
                             const ImplicationStatement& statement, const std::string& where) {
  keys(object, expected, where);
  return {number(object, "coefficient", where), read_factors(object, statement, where)};
}

ImplicationTerm read_term(const Value& object, const ImplicationStatement& statement,
                          const std::string& where) {
  ImplicationTerm term =
      read_product(object, {"coefficient", "factors", "square"}, statement, where);
  term.square = read_expression(object["square"], statement.variables, where + ".square");
  return term;
}

ImplicationCofactor read_cofactor(const Value& object, const ImplicationStatement& statement,
                                  const std::string& where) {
  keys(object, {"hypothesis", "polynomial"}, where);
  return {find_hypothesis(text(object, "hypothesis", where), statement, where),
          read_expression(object["polynomial"], statement.variables, where + ".polynomial")};
}

Identity read_identity(const Value& entry, const std::vector<std::string>& variables,
                       const std::string& where) {
  keys(entry, {"left", "name", "right"}, where);
  std::string name = text(entry, "name", where);
  require(is_variable_name(name), where, "name is no name", "SP0503");
  require(entry["left"] != entry["right"], where, "both sides are the same text: this says nothing",
          "SP0503");
  return {std::move(name), read_expression(entry["left"], variables, where + ".left"),
          read_expression(entry["right"], variables, where + ".right")};
}

}  // namespace

ImplicationStatement read_implication_statement(const Value& value, const std::string& where) {
  keys(value, {"conclusion", "hypotheses", "scope", "variables"}, where);
  ImplicationStatement statement;
  statement.variables = read_variables(value, where);
  read_hypotheses(list(value, "hypotheses", where), statement, where + ".hypotheses");
  const Value& conclusion = value["conclusion"];
  keys(conclusion, {"polynomial", "relation"}, where + ".conclusion");
  statement.conclusion = read_constraint(conclusion, statement.variables, where + ".conclusion");
  return statement;
}

ImplicationEvidence read_implication_evidence(const Value& value,
                                              const ImplicationStatement& statement,
                                              const std::string& where) {
  keys(value, {"cofactors", "multiplier", "terms", "witness"}, where);
  const Value& terms = list(value, "terms", where);
  const Value& cofactors = list(value, "cofactors", where);
  ImplicationEvidence evidence;
  evidence.multiplier = read_product(value["multiplier"], {"coefficient", "factors"}, statement,
                                     where + ".multiplier");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    evidence.terms.push_back(read_term(terms[i], statement, entry_of(where + ".terms", i)));
  }
  for (std::size_t i = 0; i < cofactors.size(); ++i) {
    evidence.cofactors.push_back(
        read_cofactor(cofactors[i], statement, entry_of(where + ".cofactors", i)));
  }
  const Value& witness = value["witness"];
  keys(witness, statement.variables, where + ".witness");
  for (const std::string& variable : statement.variables) {
    evidence.witness.push_back(number(witness, variable, where + ".witness"));
  }
  return evidence;
}

std::vector<Identity> read_identities(const Value& value, const std::string& where) {
  keys(value, {"identities", "scope", "variables"}, where);
  const std::vector<std::string> variables = read_variables(value, where);
  const Value& entries = list(value, "identities", where);
  require(!entries.empty(), where, "no identities: nothing is claimed", "SP0503");
  std::vector<Identity> identities;
  for (const Value& entry : entries) {
    Identity identity = read_identity(entry, variables, where + ".identities");
    require(identities.empty() || identities.back().name < identity.name, where,
            "identity names must be distinct and sorted", "SP0503");
    identities.push_back(std::move(identity));
  }
  return identities;
}

}  // namespace sinkproof::certificate
