#include "measure/margin_system.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "json/strict.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using certificate::Triple;
using certificate::WeightedTriple;
using exact::fail;
using exact::Result;
using json::Value;
using Positions = std::vector<std::size_t>;

Result<std::size_t> token(const Value& entry, std::size_t count, const std::string& where) {
  if (!entry.is_number_integer()) return fail("SP1601", where, "token numbers must be integers");
  if (entry >= 0 && entry < count) return entry.get<std::size_t>();
  return fail("SP1602", where,
              "token " + entry.dump() + " does not exist: there are " + std::to_string(count) +
                  ", counted from 0");
}

Result<Positions> tokens(const Value& list, std::size_t count, std::set<std::size_t>& named,
                         const std::string& where) {
  if (!list.is_array()) return fail("SP1601", where, "must be a list of token numbers");
  Positions result;
  for (const Value& entry : list) {
    const auto number = token(entry, count, where);
    if (!number) return tl::unexpected(number.error());
    if (!named.insert(*number).second) {
      return fail("SP1603", where, "token " + std::to_string(*number) + " has two roles");
    }
    result.push_back(*number);
  }
  return result;
}

Result<void> read_groups(const Value& value, std::size_t count, std::set<std::size_t>& named,
                         Roles& roles, const std::string& where) {
  if (!value.is_array()) return fail("SP1601", where + ".groups", "must be a list of lists");
  for (const Value& list : value) {
    auto group = tokens(list, count, named, where + ".groups");
    if (!group) return tl::unexpected(group.error());
    if (group->empty()) return fail("SP1604", where + ".groups", "a group is empty");
    roles.groups.push_back(std::move(*group));
  }
  if (roles.groups.empty())
    return fail("SP1604", where + ".groups", "must have at least one group");
  return {};
}

Positions joined(Positions a, const Positions& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Collects (query; above, below) for one query.
class Triples {
 public:
  void add(std::size_t query, const Positions& above, const Positions& below) {
    for (const std::size_t a : above) {
      for (const std::size_t i : below) all_.insert({query, a, i});
    }
  }
  [[nodiscard]] std::vector<WeightedTriple> weighted() const {
    std::vector<WeightedTriple> result;
    for (const Triple& triple : all_) result.push_back({triple, 1});
    return result;
  }

 private:
  std::set<Triple> all_;
};

Positions without(Positions from, const Positions& left_out) {
  std::erase_if(from, [&](std::size_t token) {
    return std::find(left_out.begin(), left_out.end(), token) != left_out.end();
  });
  return from;
}

std::vector<WeightedTriple> expanded(const Pattern& pattern) {
  const bool diagonal = pattern.kind == PatternKind::kDiagonal;
  Positions dormant;
  for (const Positions& group : pattern.groups) dormant = joined(dormant, group);
  const Positions bos = {pattern.bos};
  const Positions& copies = pattern.copies;
  Triples triples;
  for (const std::size_t x : dormant) {
    if (diagonal) {
      triples.add(x, {x}, joined(joined(bos, without(dormant, {x})), copies));
    } else {
      triples.add(x, bos, joined(dormant, copies));
    }
  }
  for (std::size_t c = 0; c < copies.size(); ++c) {
    const Positions others = without(dormant, pattern.groups[c]);
    const std::size_t query = copies[c];
    triples.add(query, pattern.groups[c], joined(joined(bos, others), copies));
    if (diagonal) {
      triples.add(query, {query}, joined(joined(bos, others), without(copies, {query})));
    }
    if (pattern.kind == PatternKind::kSinkB) triples.add(query, bos, joined(others, copies));
  }
  return triples.weighted();
}

Result<WeightedTriple> read_constraint(const Value& entry, std::size_t count,
                                       const std::string& where) {
  if (!entry.is_array() || entry.size() < 3 || entry.size() > 4) {
    return fail("SP1605", where,
                "must hold lists [query, above, below] or [query, above, below, weight]");
  }
  WeightedTriple constraint;
  constraint.weight = 1;
  std::size_t* const places[] = {&constraint.triple.query, &constraint.triple.above,
                                 &constraint.triple.below};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = token(entry[i], count, where);
    if (!number) return tl::unexpected(number.error());
    *places[i] = *number;
  }
  if (constraint.triple.above == constraint.triple.below) {
    return fail("SP1605", where, "a token cannot score above itself");
  }
  if (entry.size() == 4) {
    constexpr std::size_t kMostDigits = 40;
    const std::string text = entry[3].is_string() ? entry[3].get<std::string>() : entry[3].dump();
    const auto weight = exact::parse_rational(text);
    if (!weight || text.size() > kMostDigits || *weight <= 0 || denominator(*weight) != 1) {
      return fail("SP1605", where, "a weight must be a positive whole number");
    }
    constraint.weight = numerator(*weight);
  }
  return constraint;
}

}  // namespace

std::string name_of(PatternKind kind) {
  switch (kind) {
    case PatternKind::kSinkA:
      return "sink-A";
    case PatternKind::kSinkB:
      return "sink-B";
    case PatternKind::kDiagonal:
      return "diagonal";
    case PatternKind::kMargins:
      break;
  }
  return "margins";
}

Roles default_roles(std::size_t count) {
  Positions group(count - 1);
  std::iota(group.begin(), group.end(), std::size_t{1});
  return {0, {group}, {}};
}

Result<Roles> parse_roles(const std::string& text, std::size_t count, const std::string& where) {
  const auto value = json::parse_strict(text, where);
  if (!value) return tl::unexpected(value.error());
  if (!value->is_object() || value->size() != 3 || !value->contains("bos") ||
      !value->contains("groups") || !value->contains("copies")) {
    return fail("SP1601", where, "must be an object with the keys bos, groups and copies");
  }
  Roles roles;
  std::set<std::size_t> named;
  const auto bos = token((*value)["bos"], count, where + ".bos");
  if (!bos) return tl::unexpected(bos.error());
  roles.bos = *bos;
  named.insert(*bos);
  const auto groups = read_groups((*value)["groups"], count, named, roles, where);
  if (!groups) return tl::unexpected(groups.error());
  auto copies = tokens((*value)["copies"], count, named, where + ".copies");
  if (!copies) return tl::unexpected(copies.error());
  if (!copies->empty() && copies->size() != roles.groups.size()) {
    return fail("SP1601", where + ".copies",
                std::to_string(copies->size()) + " copies for " +
                    std::to_string(roles.groups.size()) +
                    " groups; give none, or one for each group");
  }
  roles.copies = std::move(*copies);
  return roles;
}

Pattern pattern_of(PatternKind kind, const Roles& roles, const exact::Rational& margin) {
  Pattern pattern;
  pattern.kind = kind;
  pattern.margin = margin;
  pattern.bos = roles.bos;
  pattern.groups = roles.groups;
  pattern.copies = roles.copies;
  return pattern;
}

Result<Pattern> parse_constraints(const std::string& text, std::size_t count,
                                  const exact::Rational& margin, const std::string& where) {
  const auto value = json::parse_strict(text, where);
  if (!value) return tl::unexpected(value.error());
  if (!value->is_array() || value->empty() || value->size() > certificate::kMaxConstraints) {
    return fail("SP1605", where, "must be a list of 1 to 1000000 constraints");
  }
  Pattern pattern;
  pattern.margin = margin;
  for (const Value& entry : *value) {
    auto constraint = read_constraint(entry, count, where);
    if (!constraint) return tl::unexpected(constraint.error());
    pattern.constraints.push_back(std::move(*constraint));
  }
  auto& all = pattern.constraints;
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.triple < b.triple; });
  for (std::size_t k = 1; k < all.size(); ++k) {
    if (all[k - 1].triple == all[k].triple) {
      return fail("SP1605", where, "has a triple twice; list each once");
    }
  }
  return pattern;
}

std::vector<std::size_t> MarginSystem::named() const {
  std::set<std::size_t> all;
  for (const auto& constraint : constraints) {
    all.insert({constraint.triple.query, constraint.triple.above, constraint.triple.below});
  }
  return {all.begin(), all.end()};
}

Result<MarginSystem> margin_system(const Pattern& pattern) {
  MarginSystem system{pattern.margin, pattern.kind == PatternKind::kMargins ? pattern.constraints
                                                                            : expanded(pattern)};
  if (system.constraints.empty()) {
    return fail("SP1606", name_of(pattern.kind),
                "the pattern has no constraint on these tokens; name other tokens");
  }
  if (system.constraints.size() > certificate::kMaxConstraints) {
    return fail("SP1606", name_of(pattern.kind),
                "has more than 1000000 margin constraints; name fewer tokens");
  }
  return system;
}

}  // namespace sinkproof::measure
