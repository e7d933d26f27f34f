#include "certificate/pattern.hpp"

#include <set>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/whole.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Result;
using json::Value;

constexpr std::size_t kMaxMarginCharacters = 400;
constexpr std::size_t kMaxWeightCharacters = 40;

Result<PatternKind> read_kind(const Value& value, const std::string& where) {
  const auto name = string_field(value, "kind", where);
  if (!name) return tl::unexpected(name.error());
  for (const PatternKind kind :
       {PatternKind::kMargins, PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
    if (to_string(kind) == *name) return kind;
  }
  return exact::fail("SP0503", where, "kind must be margins, sink-A, sink-B or diagonal");
}

Result<exact::Rational> read_margin(const Value& value, const std::string& where) {
  const auto text = string_field(value, "margin", where);
  if (!text) return tl::unexpected(text.error());
  auto margin = rational_field(value, "margin", where);
  if (!margin) return margin;
  if (text->size() > kMaxMarginCharacters || *margin <= 0) {
    return exact::fail("SP0503", where, "margin must be positive, of at most 400 characters");
  }
  return margin;
}

// Numbers of vectors, none of which `named` holds yet.
Result<std::vector<std::size_t>> read_numbers(const Value& list, std::size_t count,
                                              std::set<std::size_t>& named,
                                              const std::string& where) {
  if (!list.is_array()) return exact::fail("SP0503", where, "must be a list of integers");
  std::vector<std::size_t> numbers;
  for (const Value& entry : list) {
    const auto number = index_of(entry, count, where);
    if (!number) return tl::unexpected(number.error());
    if (!named.insert(*number).second) {
      return exact::fail("SP0503", where, "vector " + std::to_string(*number) + " is named twice");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<void> read_roles(const Value& value, std::size_t count, Pattern& pattern,
                        const std::string& where) {
  const auto keys = only_keys(value, {"bos", "copies", "groups", "kind", "margin"}, where);
  if (!keys) return keys;
  const auto bos = index_of(value["bos"], count, where + ".bos");
  if (!bos) return tl::unexpected(bos.error());
  pattern.bos = *bos;
  std::set<std::size_t> named = {*bos};
  const auto groups = array_field(value, "groups", where);
  if (!groups) return tl::unexpected(groups.error());
  for (const Value& group : **groups) {
    auto numbers = read_numbers(group, count, named, where + ".groups");
    if (!numbers) return tl::unexpected(numbers.error());
    if (numbers->empty()) return exact::fail("SP0503", where, "a group is empty");
    pattern.groups.push_back(std::move(*numbers));
  }
  if (pattern.groups.empty()) return exact::fail("SP0503", where, "there is no group");
  auto copies = read_numbers(value["copies"], count, named, where + ".copies");
  if (!copies) return tl::unexpected(copies.error());
  if (!copies->empty() && copies->size() != pattern.groups.size()) {
    return exact::fail("SP0503", where, "copies must be none or one for each group");
  }
  pattern.copies = std::move(*copies);
  return {};
}

Result<void> read_constraints(const Value& value, std::size_t count, Pattern& pattern,
                              const std::string& where) {
  const auto keys = only_keys(value, {"constraints", "kind", "margin"}, where);
  if (!keys) return keys;
  auto constraints =
      read_weighted_triples(value["constraints"], count, kMaxWeightCharacters, where);
  if (!constraints) return tl::unexpected(constraints.error());
  if (constraints->empty()) return exact::fail("SP0503", where, "there is no constraint");
  pattern.constraints = std::move(*constraints);
  return {};
}

Result<WeightedTriple> read_weighted_triple(const Value& entry, std::size_t count,
                                            std::size_t max_characters, const std::string& where) {
  constexpr std::size_t kEntries = 4;
  if (!entry.is_array() || entry.size() != kEntries) {
    return exact::fail("SP0503", where, "must hold lists [query, above, below, weight]");
  }
  WeightedTriple read;
  std::size_t* const targets[] = {&read.triple.query, &read.triple.above, &read.triple.below};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = index_of(entry[i], count, where);
    if (!number) return tl::unexpected(number.error());
    *targets[i] = *number;
  }
  if (read.triple.above == read.triple.below) {
    return exact::fail("SP0503", where, "a token cannot score above itself");
  }
  auto weight = whole(entry[3], max_characters, where);
  if (!weight) return tl::unexpected(weight.error());
  if (*weight <= 0) return exact::fail("SP0503", where, "a weight must be positive");
  read.weight = std::move(*weight);
  return read;
}

}  // namespace

std::string to_string(PatternKind kind) {
  switch (kind) {
    case PatternKind::kMargins:
      return "margins";
    case PatternKind::kSinkA:
      return "sink-A";
    case PatternKind::kSinkB:
      return "sink-B";
    case PatternKind::kDiagonal:
      return "diagonal";
  }
  return {};
}

Result<std::vector<WeightedTriple>> read_weighted_triples(const Value& value, std::size_t count,
                                                          std::size_t max_characters,
                                                          const std::string& where) {
  if (!value.is_array() || value.size() > kMaxConstraints) {
    return exact::fail("SP0503", where, "must be a list of at most 1000000 triples");
  }
  std::vector<WeightedTriple> triples;
  for (const Value& entry : value) {
    auto read = read_weighted_triple(entry, count, max_characters, where);
    if (!read) return tl::unexpected(read.error());
    if (!triples.empty() && !(triples.back().triple < read->triple)) {
      return exact::fail("SP0503", where, "triples must be strictly increasing");
    }
    triples.push_back(std::move(*read));
  }
  return triples;
}

Result<Pattern> read_pattern(const Value& value, std::size_t count, const std::string& where) {
  const auto kind = read_kind(value, where);
  if (!kind) return tl::unexpected(kind.error());
  Pattern pattern;
  pattern.kind = *kind;
  const auto read = *kind == PatternKind::kMargins ? read_constraints(value, count, pattern, where)
                                                   : read_roles(value, count, pattern, where);
  if (!read) return tl::unexpected(read.error());
  auto margin = read_margin(value, where);
  if (!margin) return tl::unexpected(margin.error());
  pattern.margin = std::move(*margin);
  return pattern;
}

}  // namespace sinkproof::certificate
