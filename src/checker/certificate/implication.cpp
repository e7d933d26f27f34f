#include "certificate/implication.hpp"

#include <map>

#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

// By name, their places among the hypotheses.
using Places = std::map<std::string, std::size_t>;

// A name, above those of the entries before it.
template <typename Entry>
void describe_name(Fields& io, std::size_t place, const std::vector<Entry>& all, Entry& of) {
  io.text("name", of.name);
  io.require_of("name", is_variable_name(of.name), "is not a name", "SP0503");
  io.require_of("name", place == 0 || all[place - 1].name < of.name,
                "names must be distinct and sorted", "SP0503");
}

void describe_constraint(Fields& io, Constraint& of, const Implication& whole) {
  static const std::map<std::string, Relation> relations = {
      {">", Relation::kPositive}, {">=", Relation::kNonNegative}, {"=", Relation::kZero}};
  io.choice("relation", of.relation, relations, R"(must be ">", ">=" or "=")", "SP0503");
  describe(io, "polynomial", of.expression, whole.variables);
}

void describe_hypothesis(Fields& io, const Key& key, std::size_t& of, const Places& places) {
  io.choice(key, of, places, "is not the name of a hypothesis", "SP0503");
}

void describe_product(Fields& io, ImplicationTerm& of, const Places& places) {
  io.number("coefficient", of.coefficient);
  io.list("factors", of.factors, {0, 256, "must be at most 256 names", "SP0504"},
          [&](Fields& list, const Key& key, std::size_t& factor) {
            describe_hypothesis(list, key, factor, places);
          });
}

void describe_statement(Fields& io, Implication& of) {
  io.scope(of.scope);
  describe_variables(io, of.variables);
  io.list("hypotheses", of.hypotheses, {}, [&](Fields& list, const Key& key, Hypothesis& one) {
    list.object(key, [&](Fields& part) {
      describe_name(part, key.index, of.hypotheses, one);
      describe_constraint(part, one, of);
    });
  });
  io.object("conclusion", [&](Fields& part) { describe_constraint(part, of.conclusion, of); });
}

void describe_evidence(Fields& io, Implication& of) {
  Places places;
  for (const Hypothesis& hypothesis : of.hypotheses) places.emplace(hypothesis.name, places.size());
  io.object("multiplier", [&](Fields& part) { describe_product(part, of.multiplier, places); });
  io.list("terms", of.terms, {}, [&](Fields& list, const Key& key, ImplicationTerm& term) {
    list.object(key, [&](Fields& part) {
      describe_product(part, term, places);
      describe(part, "square", term.square, of.variables);
    });
  });
  io.list("cofactors", of.cofactors, {}, [&](Fields& list, const Key& key, auto& cofactor) {
    list.object(key, [&](Fields& part) {
      describe_hypothesis(part, "hypothesis", cofactor.hypothesis, places);
      describe(part, "polynomial", cofactor.expression, of.variables);
    });
  });
  io.object("witness", [&](Fields& part) {
    of.witness.resize(of.variables.size());
    for (std::size_t i = 0; i < of.witness.size(); ++i) part.number(of.variables[i], of.witness[i]);
  });
}

}  // namespace

void describe(Fields& io, Implication& of) {
  static const std::vector<std::string> solvers = {"cvc5", "z3"};
  io.object("statement", [&](Fields& part) { describe_statement(part, of); });
  io.object("evidence", [&](Fields& part) { describe_evidence(part, of); });
  of.has_solvers = io.has("solvers", of.has_solvers);
  if (!of.has_solvers) return;
  std::vector<std::string> names = solvers;
  io.texts("solvers", names);
  io.require_of("solvers", names == solvers, R"(must be ["cvc5","z3"])", "SP0503");
}

void describe(Fields& io, Identities& of) {
  io.object("statement", [&](Fields& statement) {
    statement.scope(of.scope);
    describe_variables(statement, of.variables);
    statement.list("identities", of.identities,
                   {1, SIZE_MAX, "is empty: nothing is claimed", "SP0503"},
                   [&](Fields& list, const Key& key, Identity& one) {
                     list.object(key, [&](Fields& part) {
                       describe_name(part, key.index, of.identities, one);
                       describe(part, "left", one.left, of.variables);
                       describe(part, "right", one.right, of.variables);
                       part.require(one.left.text != one.right.text,
                                    "both sides are the same text: this says nothing", "SP0503");
                     });
                   });
  });
}

}  // namespace sinkproof::certificate
