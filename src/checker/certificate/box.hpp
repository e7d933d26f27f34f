// The noise box of the trigger task: between which numbers each noise coordinate of a token lies,
// and the matrix X that maps unit tokens, whose noise lies in [-1,1], to tokens.
// CHECKPOINT_RULES.md, 4.1 and 4.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// Flags of a token, and its first noise coordinate; the content flag is the last coordinate.
inline constexpr std::size_t kBosFlag = 0;
inline constexpr std::size_t kTriggerFlag = 1;
inline constexpr std::size_t kNoise = 2;

struct Interval {
  exact::Rational least;
  exact::Rational greatest;
};

struct Box {
  std::vector<Interval> intervals = {{-1, 1}};  // of all noise coordinates, or one for each

  [[nodiscard]] const Interval& of(std::size_t l) const {
    return intervals[intervals.size() == 1 ? 0 : l];
  }
  [[nodiscard]] exact::Rational centre(std::size_t l) const {
    return (of(l).least + of(l).greatest) / 2;
  }
  [[nodiscard]] exact::Rational radius(std::size_t l) const {
    return (of(l).greatest - of(l).least) / 2;
  }
};

// Its description (schema.hpp): one interval, or `noise` of them.
class Fields;
struct Key;
void describe_box(Fields& io, const Key& key, Box& of, std::size_t noise);
void describe(Fields& io, Interval& of, bool may_be_negative);  // {least, greatest}

// X, [n, n]; and maps X, for maps [., n] of tokens.
exact::RationalMatrix token_map(std::size_t n, const Box& box);
exact::RationalMatrix of_unit_tokens(exact::RationalMatrix maps, const Box& box);

}  // namespace sinkproof::certificate
