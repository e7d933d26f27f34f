#include "certificate/pattern.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "certificate/numbers.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::size_t kMaxMarginCharacters = 400;
constexpr std::size_t kMaxWeightCharacters = 40;

const std::map<std::string, PatternKind> kKinds = {{"margins", PatternKind::kMargins},
                                                   {"sink-A", PatternKind::kSinkA},
                                                   {"sink-B", PatternKind::kSinkB},
                                                   {"diagonal", PatternKind::kDiagonal}};

// Numbers of vectors, none of which `named` holds yet.
void describe_numbers(Fields& io, const Key& key, std::vector<std::size_t>& of, std::size_t count,
                      std::set<std::size_t>& named) {
  io.list(key, of, {}, [&](Fields& list, const Key& at, std::size_t& one) {
    list.count(at, one, 0, count - 1);
    list.require(named.insert(one).second, "vector " + std::to_string(one) + " is named twice");
  });
}

void describe_roles(Fields& io, Pattern& of, std::size_t count) {
  io.count("bos", of.bos, 0, count - 1);
  std::set<std::size_t> named = {of.bos};
  io.list("groups", of.groups, {1, SIZE_MAX, "there is no group"},
          [&](Fields& list, const Key& key, std::vector<std::size_t>& group) {
            describe_numbers(list, key, group, count, named);
            list.require_of(key, !group.empty(), "a group is empty");
          });
  describe_numbers(io, "copies", of.copies, count, named);
  io.require_of("copies", of.copies.empty() || of.copies.size() == of.groups.size(),
                "copies must be none or one for each group");
}

}  // namespace

void describe_weighted_triples(Fields& io, const Key& key, std::vector<WeightedTriple>& of,
                               std::size_t count, std::size_t max_characters) {
  const Entries four{4, 4, "must hold lists [query, above, below, weight]"};
  io.list(key, of, {0, kMaxConstraints, "must be a list of at most 1000000 triples"},
          [&](Fields& list, const Key& at, WeightedTriple& one) {
            list.array(at, 4, four, [&](Fields& part, std::size_t) {
              part.count(0, one.triple.query, 0, count - 1);
              part.count(1, one.triple.above, 0, count - 1);
              part.count(2, one.triple.below, 0, count - 1);
              describe_whole(part, 3, one.weight, max_characters);
              part.require(one.triple.above != one.triple.below,
                           "a token cannot score above itself");
              part.require(one.weight > 0, "a weight must be positive");
            });
          });
  const auto not_below = [](const auto& a, const auto& b) { return !(a.triple < b.triple); };
  io.require_of(key, std::adjacent_find(of.begin(), of.end(), not_below) == of.end(),
                "triples must be strictly increasing");
}

void describe(Fields& io, Pattern& of, std::size_t count) {
  io.choice("kind", of.kind, kKinds, "must be margins, sink-A, sink-B or diagonal", "SP0503");
  if (of.kind == PatternKind::kMargins) {
    describe_weighted_triples(io, "constraints", of.constraints, count, kMaxWeightCharacters);
    io.require_of("constraints", !of.constraints.empty(), "there is no constraint");
  } else {
    describe_roles(io, of, count);
  }
  io.short_number("margin", of.margin, kMaxMarginCharacters);
  io.require_of("margin", of.margin > 0, "must be positive");
}

}  // namespace sinkproof::certificate
