#include "certificate/vectors.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "certificate/envelope.hpp"
#include "certificate/numbers.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Enclosure;
using Numbers = std::vector<std::size_t>;

constexpr std::size_t kMaxProperties = 256;
constexpr std::size_t kMaxSearches = 16;  // properties of 6.3 to 6.5, which cost T^3
constexpr std::size_t kMaxHeads = 1024;
constexpr std::size_t kMaxFactorCharacters = 400;
constexpr std::size_t kMaxMultiplierCharacters = 40;
constexpr std::size_t kMaxWholeCharacters = 20000;

// Empty, or layers.N. with N from 0 to 9999.
bool is_layer_prefix(std::string_view prefix) {
  if (prefix.empty()) return true;
  constexpr std::string_view kBegin = "layers.";
  if (!prefix.starts_with(kBegin) || !prefix.ends_with('.')) return false;
  const std::string_view number = prefix.substr(kBegin.size(), prefix.size() - kBegin.size() - 1);
  return !number.empty() && number.size() <= 4 && (number.front() != '0' || number.size() == 1) &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

void describe(Fields& io, HeadSource& of) {
  io.hash(of.sha256);
  io.text("prefix", of.prefix);
  io.require_of("prefix", is_layer_prefix(of.prefix), "must be empty or layers.N.");
  io.count("num_heads", of.num_heads, 1, kMaxHeads);
  io.count("head", of.head, 0, of.num_heads - 1);
}

void describe(Fields& io, VectorSource& of) {
  io.hash(of.sha256);
  io.text("tensor", of.tensor);
  io.nullable("head", of.head, [](Fields& own, const Key& key, HeadSource& head) {
    own.object(key, [&](Fields& part) { describe(part, head); });
  });
}

void describe_bounds(Fields& io, Enclosure& of) {
  io.number("lower", of.lower);
  io.number("upper", of.upper);
  io.require(0 <= of.lower && of.lower <= of.upper, "needs 0 <= lower <= upper");
}

// [lower, upper]
void describe_range(Fields& io, const Key& key, Enclosure& of) {
  io.array(key, 2, {2, 2, "must be two numbers"}, [&](Fields& ends, std::size_t) {
    ends.number(0, of.lower);
    ends.number(1, of.upper);
    ends.require(of.lower <= of.upper, "its ends are not in order");
  });
}

void describe_not_negative(Fields& io, const Key& key, exact::Rational& of) {
  io.number(key, of);
  io.require_of(key, of >= 0, "must not be negative");
}

void describe_vectors(Fields& io, const Key& key, Numbers& of, std::size_t count) {
  io.list(
      key, of, {1, SIZE_MAX, "must be a non-empty list"},
      [&](Fields& list, const Key& at, std::size_t& one) { list.count(at, one, 0, count - 1); });
  const bool increases = std::adjacent_find(of.begin(), of.end(), std::greater_equal()) == of.end();
  io.require_of(key, increases, "must be strictly increasing");
}

void describe_combination(Fields& io, const Key& key, Combination& of, std::size_t count) {
  const Entries pair{2, 2, "must hold pairs [vector, number]"};
  io.list(key, of, {}, [&](Fields& list, const Key& at, Term& term) {
    list.array(at, 2, pair, [&](Fields& part, std::size_t) {
      part.count(0, term.vector, 0, count - 1);
      describe_whole(part, 1, term.coefficient, kMaxWholeCharacters);
    });
  });
  const auto not_above = [](const Term& a, const Term& b) { return a.vector >= b.vector; };
  io.require_of(key, std::adjacent_find(of.begin(), of.end(), not_above) == of.end(),
                "must be strictly increasing");
}

void describe_coefficients(Fields& io, const Key& key, exact::ScaledMatrix& of, std::size_t count,
                           std::size_t max_characters) {
  const Entries some_rows{1, count, "must have 1 to T rows of T entries"};
  io.object(key, [&](Fields& part) {
    describe_whole(part, "denominator", of.denominator, max_characters);
    part.require(of.denominator > 0, "the denominator must be positive");
    part.array("rows", of.rows(), some_rows, [&](Fields& rows, std::size_t size) {
      for (std::size_t r = 0; r < size; ++r) {
        const Entries row = r == 0
                                ? Entries{0, count, some_rows.what}
                                : Entries{of.columns(), of.columns(), "a row must have T entries"};
        rows.array(r, of.columns(), row, [&](Fields& entries, std::size_t columns) {
          if (r == 0 && entries.reads()) of.entries = {size, columns};
          for (std::size_t k = 0; k < columns; ++k) {
            describe_whole(entries, k, of.entries(r, k), max_characters);
          }
        });
      }
    });
  });
}

void describe_multipliers(Fields& io, std::vector<WeightedTriple>& of, std::size_t count) {
  describe_weighted_triples(io, "multipliers", of, count, kMaxWholeCharacters);
  io.require_of("multipliers", !of.empty(), "there is none");
}

// What is stated, and what proves it.

void describe_statement(Fields& io, Cost& of, std::size_t count) {
  io.object("pattern", [&](Fields& part) { describe(part, of.pattern, count); });
  describe_bounds(io, of.cost);
}
void describe_evidence(Fields& io, Cost& of, std::size_t count) {
  describe_coefficients(io, "query", of.query, count, kMaxFactorCharacters);
  describe_coefficients(io, "key", of.key, count, kMaxFactorCharacters);
  describe_weighted_triples(io, "multipliers", of.multipliers, count, kMaxMultiplierCharacters);
  io.short_number("norm", of.norm, kMaxFactorCharacters);
}

void describe_statement(Fields& io, Infeasible& of, std::size_t count) {
  io.object("pattern", [&](Fields& part) { describe(part, of.pattern, count); });
}
void describe_evidence(Fields& io, Infeasible& of, std::size_t count) {
  describe_multipliers(io, of.multipliers, count);
}

void describe_statement(Fields& io, Representable& of, std::size_t count) {
  io.object("pattern", [&](Fields& part) { describe(part, of.pattern, count); });
  describe_bounds(io, of.squared_margin);
  io.require_of("lower", of.squared_margin.lower > 0, "must be positive");
}
void describe_evidence(Fields& io, Representable& of, std::size_t count) {
  describe_coefficients(io, "matrix", of.matrix, count, kMaxWholeCharacters);
  describe_multipliers(io, of.multipliers, count);
}

void describe_statement(Fields& io, HullDistance& of, std::size_t count) {
  describe_vectors(io, "vectors", of.vectors, count);
  describe_bounds(io, of.squared);
}
void describe_evidence(Fields& io, HullDistance& of, std::size_t count) {
  describe_combination(io, "weights", of.weights, count);
  describe_combination(io, "direction", of.direction, count);
}

void describe_statement(Fields& io, Switch& of, std::size_t count) {
  io.count("anchor", of.anchor, 0, count - 1);
  describe_vectors(io, "others", of.others, count);
  io.require_of("others", !std::binary_search(of.others.begin(), of.others.end(), of.anchor),
                "the anchor is among the others");
  io.number("gap", of.gap);
  io.require_of("gap", of.gap > 0, "must be positive");
  describe_not_negative(io, "anchor_loss", of.anchor_loss);
  describe_not_negative(io, "anchor_norm", of.anchor_norm);
  describe_not_negative(io, "spread", of.spread);
}
void describe_evidence(Fields& io, Switch& of, std::size_t count) {
  describe_combination(io, "direction", of.direction, count);
}

void describe_statement(Fields& io, Smoothing& of, std::size_t /*count*/) {
  io.number("beta", of.beta);
  describe_range(io, "s", of.s);
  describe_range(io, "t", of.t);
  describe_range(io, "s_plus_t", of.s_plus_t);
  describe_range(io, "mean_norm", of.mean_norm);
  describe_range(io, "spread", of.spread);
}
void describe_evidence(Fields& /*io*/, Smoothing& /*of*/, std::size_t /*count*/) {}

bool is_search(const VectorProperty& property) {
  return std::holds_alternative<Cost>(property) || std::holds_alternative<Infeasible>(property) ||
         std::holds_alternative<Representable>(property);
}

void require_different(const json::Value& properties) {
  std::set<std::string> statements;
  for (const json::Value& property : properties) {
    require(statements.insert(json::canonical(property["statement"])).second, "properties",
            "two are the same");
  }
}

}  // namespace

void describe_statement(Fields& io, VectorProperty& of, std::size_t count) {
  io.alternative("property", of, "is none of the properties of given vectors");
  std::visit([&](auto& stated) { describe_statement(io, stated, count); }, of);
}

void describe_evidence(Fields& io, VectorProperty& of, std::size_t count) {
  std::visit([&](auto& stated) { describe_evidence(io, stated, count); }, of);
}

void describe(Fields& io, Vectors& of, std::size_t count) {
  std::int64_t format = kFormat;
  io.integer("format", format, kFormat, kFormat);
  io.constant("kind", "vectors");
  io.constant("claim", "vectors");
  io.text("claim_sha256", of.claim_sha256);
  io.object("input", [&](Fields& part) { describe(part, of.source); });
  io.list("properties", of.properties, {1, kMaxProperties, "must be 1 to 256"},
          [&](Fields& list, const Key& key, VectorProperty& one) {
            list.object(key, [&](Fields& part) {
              part.object("statement", [&](Fields& own) { describe_statement(own, one, count); });
              part.object("evidence", [&](Fields& own) { describe_evidence(own, one, count); });
            });
          });
  const auto searches = std::count_if(of.properties.begin(), of.properties.end(), is_search);
  io.require_of("properties", static_cast<std::size_t>(searches) <= kMaxSearches,
                "more than 16 of cost and representable");
}

Vectors read_vectors(const json::Value& certificate, std::size_t count) {
  Vectors vectors = read<Vectors>(certificate, "certificate", count);
  require_different(certificate["properties"]);
  return vectors;
}

}  // namespace sinkproof::certificate
