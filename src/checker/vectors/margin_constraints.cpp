#include "vectors/margin_constraints.hpp"

#include <algorithm>
#include <set>

#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using certificate::Triple;
using certificate::WeightedTriple;
using exact::Integer;

using Numbers = std::set<std::size_t>;

Numbers without(Numbers all, const Numbers& some) {
  for (const std::size_t number : some) all.erase(number);
  return all;
}

Numbers with(Numbers all, const Numbers& more) {
  all.insert(more.begin(), more.end());
  return all;
}

// The triples of VECTOR_RULES.md 6.2, by role.
class Expansion {
 public:
  explicit Expansion(const Pattern& pattern)
      : kind_(pattern.kind),
        bos_({pattern.bos}),
        copies_(pattern.copies.begin(), pattern.copies.end()) {
    for (const auto& group : pattern.groups) dormant_.insert(group.begin(), group.end());
    for (const std::size_t x : dormant_) add_dormant(x);
    for (std::size_t c = 0; c < pattern.copies.size(); ++c) {
      const auto& group = pattern.groups[c];
      add_copy(pattern.copies[c], Numbers(group.begin(), group.end()));
    }
  }

  [[nodiscard]] const std::set<Triple>& triples() const { return triples_; }

 private:
  // Query j scores each of `above` over each of `below`.
  void add(std::size_t j, const Numbers& above, const Numbers& below) {
    for (const std::size_t a : above) {
      for (const std::size_t i : below) triples_.insert({j, a, i});
    }
    require(triples_.size() <= certificate::kMaxConstraints, "pattern", "too many constraints");
  }

  void add_dormant(std::size_t x) {
    if (kind_ == PatternKind::kDiagonal) {
      add(x, {x}, with(with(bos_, without(dormant_, {x})), copies_));
    } else {
      add(x, bos_, with(dormant_, copies_));
    }
  }

  void add_copy(std::size_t q, const Numbers& group) {
    const Numbers outside = with(without(dormant_, group), copies_);
    add(q, group, with(bos_, outside));
    if (kind_ == PatternKind::kSinkB) add(q, bos_, outside);
    if (kind_ == PatternKind::kDiagonal) add(q, {q}, with(bos_, without(outside, {q})));
  }

  PatternKind kind_;
  Numbers bos_;
  Numbers copies_;
  Numbers dormant_;
  std::set<Triple> triples_;
};

}  // namespace

MarginConstraints margins_of(const Pattern& pattern) {
  MarginConstraints margins{pattern.constraints, pattern.margin};
  if (pattern.kind != PatternKind::kMargins) {
    const Expansion expansion(pattern);
    for (const Triple& triple : expansion.triples()) margins.list.push_back({triple, 1});
  }
  require(!margins.list.empty(), "pattern", "there is no constraint");
  return margins;
}

Multipliers sum_of(const std::vector<WeightedTriple>& multipliers, const MarginConstraints& margins,
                   std::size_t count) {
  Multipliers sum{exact::IntegerMatrix(count, count), 0};
  for (const auto& [triple, y] : multipliers) {
    const auto found =
        std::lower_bound(margins.list.begin(), margins.list.end(), triple,
                         [](const WeightedTriple& a, const Triple& b) { return a.triple < b; });
    require(found != margins.list.end() && found->triple == triple, "multipliers",
            "a triple is not one of the constraints");
    sum.matrix(triple.query, triple.above) += y;
    sum.matrix(triple.query, triple.below) -= y;
    sum.weight += y * found->weight;
  }
  return sum;
}

void require_margins(const MarginConstraints& margins, const exact::ScaledMatrix& scores) {
  const Integer unit = boost::multiprecision::numerator(margins.margin) * scores.denominator;
  const Integer below = boost::multiprecision::denominator(margins.margin);
  for (const WeightedTriple& constraint : margins.list) {
    const auto& [j, a, i] = constraint.triple;
    const Integer difference = scores.entries(j, a) - scores.entries(j, i);
    require(difference * below >= constraint.weight * unit, "margins",
            "query " + std::to_string(j) + " does not score " + std::to_string(a) + " above " +
                std::to_string(i) + " by the margin");
  }
}

}  // namespace sinkproof::check
