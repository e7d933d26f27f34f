#include "measure/margin_system.hpp"

#include <algorithm>

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using certificate::Triple;

enum class Role { kNone, kBos, kDormant, kCopy };

// What a token is, and of which group.
struct Place {
  Role role = Role::kNone;
  std::size_t group = 0;
};

std::vector<Place> places_of(const Pattern& pattern, std::size_t count) {
  std::vector<Place> places(count);
  places[pattern.bos].role = Role::kBos;
  for (std::size_t c = 0; c < pattern.groups.size(); ++c) {
    for (const std::size_t x : pattern.groups[c]) places[x] = {Role::kDormant, c};
  }
  for (std::size_t c = 0; c < pattern.copies.size(); ++c) {
    places[pattern.copies[c]] = {Role::kCopy, c};
  }
  return places;
}

// Whether `above` is to score above `below` for the query.
class Demand {
 public:
  Demand(PatternKind kind, std::vector<Place> places) : kind_(kind), places_(std::move(places)) {}

  [[nodiscard]] bool operator()(const Triple& t) const {
    if (t.above == t.below || places_[t.above].role == Role::kNone ||
        places_[t.below].role == Role::kNone) {
      return false;
    }
    switch (places_[t.query].role) {
      case Role::kDormant:
        return kind_ == PatternKind::kDiagonal
                   ? t.above == t.query
                   : places_[t.above].role == Role::kBos && places_[t.below].role != Role::kBos;
      case Role::kCopy:
        return of_copy(t);
      default:
        return false;
    }
  }

 private:
  [[nodiscard]] bool is_own(std::size_t query, std::size_t token) const {
    return places_[token].role == Role::kDormant && places_[token].group == places_[query].group;
  }

  [[nodiscard]] bool of_copy(const Triple& t) const {
    if (is_own(t.query, t.below)) return false;
    if (is_own(t.query, t.above)) return true;
    if (kind_ == PatternKind::kSinkB) return places_[t.above].role == Role::kBos;
    return kind_ == PatternKind::kDiagonal && t.above == t.query;
  }

  PatternKind kind_;
  std::vector<Place> places_;
};

std::vector<certificate::WeightedTriple> expanded(const Pattern& pattern, std::size_t count) {
  const Demand demands(pattern.kind, places_of(pattern, count));
  std::vector<certificate::WeightedTriple> found;
  for (std::size_t query = 0; query < count; ++query) {
    for (std::size_t above = 0; above < count; ++above) {
      for (std::size_t below = 0; below < count; ++below) {
        const Triple triple{query, above, below};
        if (demands(triple)) found.push_back({triple, 1});
      }
    }
  }
  return found;
}

}  // namespace

exact::Result<MarginSystem> margin_system(const json::Value& pattern, std::size_t count) {
  auto read = certificate::read_pattern(pattern, count, "pattern");
  if (!read) return tl::unexpected(read.error());
  MarginSystem system{
      pattern,
      read->kind == PatternKind::kMargins ? std::move(read->constraints) : expanded(*read, count),
      read->margin};
  if (system.constraints.empty() || system.constraints.size() > certificate::kMaxConstraints) {
    return exact::fail("SP1508", "pattern",
                       "stands for " + std::to_string(system.constraints.size()) +
                           " constraints; it must be 1 to 1000000");
  }
  return system;
}

}  // namespace sinkproof::measure
