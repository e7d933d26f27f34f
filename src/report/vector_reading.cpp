#include "report/vector_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"
#include "certificate/whole.hpp"

namespace sinkproof::report {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::Enclosure;
using exact::fail;
using exact::Rational;
using exact::Result;
using json::Value;

constexpr std::size_t kMaxVectors = 1024;
constexpr std::int64_t kMaxHeads = 1024;

tl::unexpected<exact::Error> mismatch(const std::string& where, const std::string& what) {
  return fail("SP1202", where, what);
}

tl::unexpected<exact::Error> mismatch(const exact::Error& error) {
  return fail("SP1202", error.where, error.what);
}

Result<const Value*> object_field(const Value& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object()) return mismatch(name, "is no object");
  return &*found;
}

Result<Pattern> read_pattern(const Value& statement) {
  const auto value = object_field(statement, "pattern");
  if (!value) return tl::unexpected(value.error());
  auto pattern = certificate::read_pattern(**value, kMaxVectors, "pattern");
  if (!pattern) return mismatch(pattern.error());
  return pattern;
}

Result<Enclosure> ordered(Rational lower, Rational upper, const std::string& name) {
  if (upper < lower) return mismatch(name, "needs lower <= upper");
  return Enclosure{std::move(lower), std::move(upper)};
}

// The keys `lower` and `upper`.
Result<Enclosure> read_bounds(const Value& statement, const std::string& name) {
  const auto lower = certificate::rational_field(statement, "lower", name);
  if (!lower) return mismatch(lower.error());
  const auto upper = certificate::rational_field(statement, "upper", name);
  if (!upper) return mismatch(upper.error());
  if (*lower < 0) return mismatch(name, "needs 0 <= lower");
  return ordered(*lower, *upper, name);
}

// A list of two numbers.
Result<void> read_range(const Value& statement, const std::string& name, Enclosure& target) {
  const auto list = certificate::array_field(statement, name, "smoothing");
  if (!list) return mismatch(list.error());
  if ((*list)->size() != 2 || !(**list)[0].is_string() || !(**list)[1].is_string()) {
    return mismatch(name, "must be two numbers");
  }
  const auto lower = exact::parse_rational((**list)[0].get<std::string>());
  const auto upper = exact::parse_rational((**list)[1].get<std::string>());
  if (!lower || !upper) return mismatch(name, "must be two numbers");
  auto range = ordered(*lower, *upper, name);
  if (!range) return tl::unexpected(range.error());
  target = std::move(*range);
  return {};
}

Result<std::vector<std::size_t>> read_numbers(const Value& statement, const std::string& name) {
  const auto list = certificate::array_field(statement, name, "statement");
  if (!list) return mismatch(list.error());
  std::vector<std::size_t> numbers;
  for (const Value& entry : **list) {
    const auto number = certificate::index_of(entry, kMaxVectors, name);
    if (!number) return mismatch(number.error());
    numbers.push_back(*number);
  }
  if (numbers.empty()) return mismatch(name, "is empty");
  return numbers;
}

Result<VectorProperty> read_cost(const Value& statement, const Value& /*evidence*/) {
  auto pattern = read_pattern(statement);
  if (!pattern) return tl::unexpected(pattern.error());
  auto cost = read_bounds(statement, "cost");
  if (!cost) return tl::unexpected(cost.error());
  return Cost{std::move(*pattern), std::move(*cost)};
}

Result<VectorProperty> read_infeasible(const Value& statement, const Value& evidence) {
  auto pattern = read_pattern(statement);
  if (!pattern) return tl::unexpected(pattern.error());
  const auto list = certificate::array_field(evidence, "multipliers", "infeasible");
  if (!list) return mismatch(list.error());
  auto multipliers = certificate::read_weighted_triples(
      **list, kMaxVectors, certificate::kMaxWholeCharacters, "multipliers");
  if (!multipliers) return mismatch(multipliers.error());
  if (multipliers->empty()) return mismatch("multipliers", "there are none");
  return Infeasible{std::move(*pattern), std::move(*multipliers)};
}

Result<VectorProperty> read_representable(const Value& statement, const Value& /*evidence*/) {
  auto pattern = read_pattern(statement);
  if (!pattern) return tl::unexpected(pattern.error());
  auto margin = read_bounds(statement, "representable");
  if (!margin) return tl::unexpected(margin.error());
  if (margin->lower <= 0) return mismatch("representable", "needs 0 < lower");
  return Representable{std::move(*pattern), std::move(*margin)};
}

Result<VectorProperty> read_hull_distance(const Value& statement, const Value& /*evidence*/) {
  auto vectors = read_numbers(statement, "vectors");
  if (!vectors) return tl::unexpected(vectors.error());
  auto squared = read_bounds(statement, "hull-distance");
  if (!squared) return tl::unexpected(squared.error());
  return HullDistance{std::move(*vectors), std::move(*squared)};
}

Result<VectorProperty> read_switch(const Value& statement, const Value& /*evidence*/) {
  Switch read;
  if (!statement.contains("anchor")) return mismatch("anchor", "is missing");
  const auto anchor = certificate::index_of(statement["anchor"], kMaxVectors, "anchor");
  if (!anchor) return mismatch(anchor.error());
  read.anchor = *anchor;
  auto others = read_numbers(statement, "others");
  if (!others) return tl::unexpected(others.error());
  read.others = std::move(*others);
  for (const auto& [name, target] :
       {std::pair{"gap", &read.gap}, std::pair{"anchor_loss", &read.anchor_loss},
        std::pair{"anchor_norm", &read.anchor_norm}, std::pair{"spread", &read.spread}}) {
    const auto number = certificate::rational_field(statement, name, "switch");
    if (!number) return mismatch(number.error());
    if (*number < 0) return mismatch(name, "must not be negative");
    *target = *number;
  }
  if (read.gap == 0) return mismatch("gap", "must be positive");
  return read;
}

Result<VectorProperty> read_smoothing(const Value& statement, const Value& /*evidence*/) {
  Smoothing read;
  const auto beta = certificate::rational_field(statement, "beta", "smoothing");
  if (!beta) return mismatch(beta.error());
  read.beta = *beta;
  for (const auto& [name, target] :
       {std::pair{"s", &read.s}, std::pair{"t", &read.t}, std::pair{"s_plus_t", &read.s_plus_t},
        std::pair{"mean_norm", &read.mean_norm}, std::pair{"spread", &read.spread}}) {
    if (const auto range = read_range(statement, name, *target); !range) {
      return tl::unexpected(range.error());
    }
  }
  return read;
}

Result<VectorProperty> read_property(const Value& entry) {
  const auto statement = object_field(entry, "statement");
  if (!statement) return tl::unexpected(statement.error());
  const auto evidence = object_field(entry, "evidence");
  if (!evidence) return tl::unexpected(evidence.error());
  const auto name = certificate::string_field(**statement, "property", "statement");
  if (!name) return mismatch(name.error());
  using Reader = Result<VectorProperty> (*)(const Value&, const Value&);
  static constexpr std::pair<const char*, Reader> kReaders[] = {
      {"cost", read_cost},
      {"infeasible", read_infeasible},
      {"representable", read_representable},
      {"hull-distance", read_hull_distance},
      {"switch", read_switch},
      {"smoothing", read_smoothing}};
  for (const auto& [known, read] : kReaders) {
    if (*name == known) return read(**statement, **evidence);
  }
  return mismatch(*name, "is no property this report knows");
}

Result<std::string> read_hash(const Value& object, const std::string& where) {
  auto hash = certificate::string_field(object, "sha256", where);
  if (!hash) return mismatch(hash.error());
  if (!certificate::is_sha256_hex(*hash)) return mismatch(where + ": sha256", "is no SHA-256");
  return hash;
}

Result<std::optional<ValueHead>> read_head(const Value& input) {
  const auto found = input.find("head");
  if (found == input.end()) return mismatch("input: head", "is missing");
  if (found->is_null()) return std::optional<ValueHead>();
  if (!found->is_object()) return mismatch("input: head", "is no object");
  ValueHead head;
  auto hash = read_hash(*found, "head");
  if (!hash) return tl::unexpected(hash.error());
  head.sha256 = std::move(*hash);
  auto prefix = certificate::string_field(*found, "prefix", "head");
  if (!prefix) return mismatch(prefix.error());
  head.prefix = std::move(*prefix);
  const auto heads = certificate::integer_field(*found, "num_heads", 1, kMaxHeads, "head");
  if (!heads) return mismatch(heads.error());
  const auto number = certificate::integer_field(*found, "head", 0, *heads - 1, "head");
  if (!number) return mismatch(number.error());
  head.num_heads = static_cast<std::size_t>(*heads);
  head.head = static_cast<std::size_t>(*number);
  return std::optional<ValueHead>(std::move(head));
}

Result<void> read_input(const Value& certificate, Vectors& vectors) {
  const auto input = object_field(certificate, "input");
  if (!input) return tl::unexpected(input.error());
  auto hash = read_hash(**input, "input");
  if (!hash) return tl::unexpected(hash.error());
  vectors.sha256 = std::move(*hash);
  auto tensor = certificate::string_field(**input, "tensor", "input");
  if (!tensor) return mismatch(tensor.error());
  vectors.tensor = std::move(*tensor);
  auto head = read_head(**input);
  if (!head) return tl::unexpected(head.error());
  vectors.head = std::move(*head);
  return {};
}

Result<Vectors> read_all(const Value& certificate) {
  Vectors vectors;
  if (!certificate.is_object()) return mismatch("certificate", "is no object");
  if (const auto input = read_input(certificate, vectors); !input) {
    return tl::unexpected(input.error());
  }
  const auto properties = certificate::array_field(certificate, "properties", "certificate");
  if (!properties) return mismatch(properties.error());
  if ((*properties)->empty()) return mismatch("properties", "there are none");
  for (const Value& entry : **properties) {
    auto property = read_property(entry);
    if (!property) return tl::unexpected(property.error());
    vectors.properties.push_back(std::move(*property));
  }
  return vectors;
}

std::string counted(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace

Result<Vectors> read_vectors(const Value& certificate, const std::string& where) {
  auto vectors = read_all(certificate);
  if (!vectors) return fail("SP1202", where + ": " + vectors.error().where, vectors.error().what);
  return vectors;
}

std::string pattern_name(PatternKind kind) {
  switch (kind) {
    case PatternKind::kSinkA:
      return "sink, reading A";
    case PatternKind::kSinkB:
      return "sink, reading B";
    case PatternKind::kDiagonal:
      return "diagonal";
    case PatternKind::kMargins:
      break;
  }
  return "margins";
}

std::string roles_in_words(const Pattern& pattern) {
  if (pattern.kind == PatternKind::kMargins) {
    return counted(pattern.constraints.size(), "constraint", "constraints");
  }
  std::set<std::size_t> sizes;
  for (const auto& group : pattern.groups) sizes.insert(group.size());
  std::string of = fmt::format(" of {}", *sizes.begin());
  if (sizes.size() > 1) of += fmt::format(" to {}", *sizes.rbegin());
  const std::string copies =
      pattern.copies.empty() ? "no copies" : counted(pattern.copies.size(), "copy", "copies");
  return fmt::format("token {} is BOS; {}{}; {}", pattern.bos,
                     counted(pattern.groups.size(), "group", "groups"), of, copies);
}

bool has_copies(const Pattern& pattern) {
  return pattern.kind != PatternKind::kMargins && pattern.copies.size() == pattern.groups.size();
}

}  // namespace sinkproof::report
