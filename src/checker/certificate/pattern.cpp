#include "certificate/pattern.hpp"

#include <map>
#include <set>
#include <utility>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using json::Value;

constexpr std::size_t kMaxMarginCharacters = 400;
constexpr std::size_t kMaxWeightCharacters = 40;

const std::map<std::string, PatternKind> kKinds = {{"margins", PatternKind::kMargins},
                                                   {"sink-A", PatternKind::kSinkA},
                                                   {"sink-B", PatternKind::kSinkB},
                                                   {"diagonal", PatternKind::kDiagonal}};

// Numbers of vectors, none of which `named` holds yet.
std::vector<std::size_t> read_numbers(const Value& list, std::size_t count,
                                      std::set<std::size_t>& named, const std::string& where) {
  require(list.is_array(), where, "must be a list of integers");
  std::vector<std::size_t> numbers;
  for (const Value& entry : list) {
    numbers.push_back(index_of(entry, count, where));
    require(named.insert(numbers.back()).second, where,
            "vector " + std::to_string(numbers.back()) + " is named twice");
  }
  return numbers;
}

void read_roles(const Value& value, std::size_t count, Pattern& pattern, const std::string& where) {
  keys(value, {"bos", "copies", "groups", "kind", "margin"}, where);
  pattern.bos = index_of(value["bos"], count, where + ".bos");
  std::set<std::size_t> named = {pattern.bos};
  for (const Value& group : list(value, "groups", where)) {
    pattern.groups.push_back(read_numbers(group, count, named, where + ".groups"));
    require(!pattern.groups.back().empty(), where, "a group is empty");
  }
  require(!pattern.groups.empty(), where, "there is no group");
  pattern.copies = read_numbers(value["copies"], count, named, where + ".copies");
  require(pattern.copies.empty() || pattern.copies.size() == pattern.groups.size(), where,
          "copies must be none or one for each group");
}

WeightedTriple read_weighted_triple(const Value& entry, std::size_t count,
                                    std::size_t max_characters, const std::string& where) {
  require(entry.is_array() && entry.size() == 4, where,
          "must hold lists [query, above, below, weight]");
  const auto number = [&](std::size_t i) { return index_of(entry[i], count, where); };
  WeightedTriple read{{number(0), number(1), number(2)}, whole(entry[3], max_characters, where)};
  require(read.triple.above != read.triple.below, where, "a token cannot score above itself");
  require(read.weight > 0, where, "a weight must be positive");
  return read;
}

}  // namespace

std::vector<WeightedTriple> read_weighted_triples(const Value& value, std::size_t count,
                                                  std::size_t max_characters,
                                                  const std::string& where) {
  require(value.is_array() && value.size() <= kMaxConstraints, where,
          "must be a list of at most 1000000 triples");
  std::vector<WeightedTriple> triples;
  for (const Value& entry : value) {
    WeightedTriple read = read_weighted_triple(entry, count, max_characters, where);
    require(triples.empty() || triples.back().triple < read.triple, where,
            "triples must be strictly increasing");
    triples.push_back(std::move(read));
  }
  return triples;
}

Pattern read_pattern(const Value& value, std::size_t count, const std::string& where) {
  Pattern pattern;
  pattern.kind = at(kKinds, text(value, "kind", where), where,
                    "kind must be margins, sink-A, sink-B or diagonal", "SP0503");
  if (pattern.kind == PatternKind::kMargins) {
    keys(value, {"constraints", "kind", "margin"}, where);
    pattern.constraints =
        read_weighted_triples(value["constraints"], count, kMaxWeightCharacters, where);
    require(!pattern.constraints.empty(), where, "there is no constraint");
  } else {
    read_roles(value, count, pattern, where);
  }
  pattern.margin = short_number(value, "margin", kMaxMarginCharacters, where);
  require(pattern.margin > 0, where, "margin must be positive");
  return pattern;
}

}  // namespace sinkproof::certificate
