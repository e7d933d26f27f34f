#include "certificate/vectors.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Enclosure;
using json::Value;
using Numbers = std::vector<std::size_t>;

constexpr std::size_t kMaxProperties = 256;
constexpr std::size_t kMaxSearches = 16;  // properties of 6.3 to 6.5, which cost T^3
constexpr std::size_t kMaxHeads = 1024;
constexpr std::size_t kMaxFactorCharacters = 400;
constexpr std::size_t kMaxMultiplierCharacters = 40;

// Empty, or layers.N. with N from 0 to 9999.
bool is_layer_prefix(std::string_view prefix) {
  if (prefix.empty()) return true;
  constexpr std::string_view kBegin = "layers.";
  if (!prefix.starts_with(kBegin) || !prefix.ends_with('.')) return false;
  const std::string_view number = prefix.substr(kBegin.size(), prefix.size() - kBegin.size() - 1);
  return !number.empty() && number.size() <= 4 && (number.front() != '0' || number.size() == 1) &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<HeadSource> read_head(const Value& object) {
  if (object.is_null()) return std::nullopt;
  keys(object, {"head", "num_heads", "prefix", "sha256"}, "head");
  HeadSource head{hash(object, "head"), text(object, "prefix", "head"),
                  count(object, "num_heads", 1, kMaxHeads, "head")};
  head.head = count(object, "head", 0, head.num_heads - 1, "head");
  require(is_layer_prefix(head.prefix), "head.prefix", "must be empty or layers.N.");
  return head;
}

bool is_search(const Value& statement) {
  static const std::set<Value> names = {"cost", "infeasible", "representable"};
  return statement.is_object() && names.contains(statement.value("property", Value()));
}

void require_properties(const Value& properties) {
  require(!properties.empty() && properties.size() <= kMaxProperties, "properties",
          "must be 1 to 256");
  std::size_t searches = 0;
  std::set<std::string> statements;
  for (const Value& property : properties) {
    keys(property, {"evidence", "statement"}, "properties");
    const Value& statement = property["statement"];
    if (is_search(statement)) ++searches;
    require(statements.insert(json::canonical(statement)).second, "properties", "two are the same");
  }
  require(searches <= kMaxSearches, "properties", "more than 16 of cost and representable");
}

Enclosure read_bounds(const Value& statement) {
  Enclosure ends{number(statement, "lower", "statement"), number(statement, "upper", "statement")};
  require(0 <= ends.lower && ends.lower <= ends.upper, "lower", "needs 0 <= lower <= upper");
  return ends;
}

Enclosure read_range(const Value& statement, const std::string& key) {
  const std::vector<std::string> ends = texts(statement, key, "statement");
  require(ends.size() == 2, key, "must be two numbers");
  Enclosure range{rational(ends[0], key), rational(ends[1], key)};
  require(range.lower <= range.upper, key, "its ends are not in order");
  return range;
}

exact::Rational not_negative(const Value& statement, const std::string& key) {
  exact::Rational value = number(statement, key, "statement");
  require(value >= 0, key, "must not be negative");
  return value;
}

Numbers read_numbers(const Value& statement, const std::string& key, std::size_t count) {
  Numbers numbers;
  for (const Value& entry : list(statement, key, "statement")) {
    const std::size_t number = index_of(entry, count, key);
    require(numbers.empty() || numbers.back() < number, key, "must be strictly increasing");
    numbers.push_back(number);
  }
  require(!numbers.empty(), key, "must be a non-empty list");
  return numbers;
}

Combination read_combination(const Value& evidence, const std::string& key, std::size_t count) {
  Combination terms;
  for (const Value& entry : list(evidence, key, "evidence")) {
    require(entry.is_array() && entry.size() == 2, key, "must hold pairs [vector, number]");
    const std::size_t vector = index_of(entry[0], count, key);
    require(terms.empty() || terms.back().vector < vector, key, "must be strictly increasing");
    terms.push_back({vector, whole(entry[1], kMaxWholeCharacters, key)});
  }
  return terms;
}

exact::ScaledMatrix read_coefficients(const Value& evidence, const std::string& key,
                                      std::size_t count, std::size_t max_characters) {
  const Value& object = evidence[key];
  keys(object, {"denominator", "rows"}, key);
  exact::ScaledMatrix matrix;
  matrix.denominator = whole(object["denominator"], max_characters, key);
  require(matrix.denominator > 0, key, "the denominator must be positive");
  const Value& rows = list(object, "rows", key);
  require(!rows.empty() && rows.size() <= count && rows[0].size() <= count, key,
          "must have 1 to T rows of T entries");
  matrix.entries = {rows.size(), rows[0].size()};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    require(rows[r].is_array() && rows[r].size() == matrix.columns(), key,
            "a row must have T entries");
    for (std::size_t k = 0; k < matrix.columns(); ++k) {
      matrix.entries(r, k) = whole(rows[r][k], max_characters, key);
    }
  }
  return matrix;
}

std::vector<WeightedTriple> read_multipliers(const Value& evidence, std::size_t count) {
  auto multipliers =
      read_weighted_triples(evidence["multipliers"], count, kMaxWholeCharacters, "multipliers");
  require(!multipliers.empty(), "multipliers", "there is none");
  return multipliers;
}

VectorProperty read_cost(const Value& statement, const Value& evidence, std::size_t count) {
  keys(statement, {"lower", "pattern", "property", "upper"}, "statement");
  keys(evidence, {"key", "multipliers", "norm", "query"}, "evidence");
  return Cost{read_pattern(statement["pattern"], count, "pattern"),
              read_bounds(statement),
              read_coefficients(evidence, "query", count, kMaxFactorCharacters),
              read_coefficients(evidence, "key", count, kMaxFactorCharacters),
              read_weighted_triples(evidence["multipliers"], count, kMaxMultiplierCharacters,
                                    "multipliers"),
              short_number(evidence, "norm", kMaxFactorCharacters, "evidence")};
}

VectorProperty read_infeasible(const Value& statement, const Value& evidence, std::size_t count) {
  keys(statement, {"pattern", "property"}, "statement");
  keys(evidence, {"multipliers"}, "evidence");
  return Infeasible{read_pattern(statement["pattern"], count, "pattern"),
                    read_multipliers(evidence, count)};
}

VectorProperty read_representable(const Value& statement, const Value& evidence,
                                  std::size_t count) {
  keys(statement, {"lower", "pattern", "property", "upper"}, "statement");
  keys(evidence, {"matrix", "multipliers"}, "evidence");
  Representable stated{read_pattern(statement["pattern"], count, "pattern"), read_bounds(statement),
                       read_coefficients(evidence, "matrix", count, kMaxWholeCharacters),
                       read_multipliers(evidence, count)};
  require(stated.squared_margin.lower > 0, "lower", "must be positive");
  return stated;
}

VectorProperty read_hull_distance(const Value& statement, const Value& evidence,
                                  std::size_t count) {
  keys(statement, {"lower", "property", "upper", "vectors"}, "statement");
  keys(evidence, {"direction", "weights"}, "evidence");
  return HullDistance{read_numbers(statement, "vectors", count), read_bounds(statement),
                      read_combination(evidence, "weights", count),
                      read_combination(evidence, "direction", count)};
}

VectorProperty read_switch(const Value& statement, const Value& evidence, std::size_t count) {
  keys(statement, {"anchor", "anchor_loss", "anchor_norm", "gap", "others", "property", "spread"},
       "statement");
  keys(evidence, {"direction"}, "evidence");
  Switch stated{index_of(statement["anchor"], count, "anchor"),
                read_numbers(statement, "others", count),
                not_negative(statement, "gap"),
                not_negative(statement, "anchor_loss"),
                not_negative(statement, "anchor_norm"),
                not_negative(statement, "spread"),
                read_combination(evidence, "direction", count)};
  require(stated.gap > 0, "gap", "must be positive");
  require(!std::binary_search(stated.others.begin(), stated.others.end(), stated.anchor), "others",
          "the anchor is among the others");
  return stated;
}

VectorProperty read_smoothing(const Value& statement, const Value& evidence,
                              std::size_t /*count*/) {
  keys(statement, {"beta", "mean_norm", "property", "s", "s_plus_t", "spread", "t"}, "statement");
  keys(evidence, {}, "evidence");
  return Smoothing{number(statement, "beta", "statement"),
                   read_range(statement, "s"),
                   read_range(statement, "t"),
                   read_range(statement, "s_plus_t"),
                   read_range(statement, "mean_norm"),
                   read_range(statement, "spread")};
}

}  // namespace

VectorSource read_vector_source(const Value& certificate) {
  keys(certificate, {"claim", "claim_sha256", "format", "input", "kind", "properties"},
       "certificate");
  require_properties(list(certificate, "properties", "certificate"));
  const Value& input = certificate["input"];
  keys(input, {"head", "sha256", "tensor"}, "input");
  return {hash(input, "input"), text(input, "tensor", "input"), read_head(input["head"])};
}

VectorProperty read_vector_property(const Value& statement, const Value& evidence,
                                    std::size_t count) {
  using Reader = VectorProperty (*)(const Value&, const Value&, std::size_t);
  static const std::map<std::string, Reader> readers = {{"cost", read_cost},
                                                        {"infeasible", read_infeasible},
                                                        {"representable", read_representable},
                                                        {"hull-distance", read_hull_distance},
                                                        {"switch", read_switch},
                                                        {"smoothing", read_smoothing}};
  const Reader read = at(readers, text(statement, "property", "statement"), "property",
                         "is none of the properties of given vectors");
  return read(statement, evidence, count);
}

}  // namespace sinkproof::certificate
