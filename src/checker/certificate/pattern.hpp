// The `pattern` of a vector certificate: which token is to score which above which, by what margin
// (VECTOR_RULES.md, 6.2; docs/THEORY.md section 5). This file only reads it; what triples it stands
// for is for check/ and measure/ to say, each on its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::certificate {

enum class PatternKind { kMargins, kSinkA, kSinkB, kDiagonal };

// Query j scores token `above` at least a margin above token `below`.
struct Triple {
  std::size_t query = 0;
  std::size_t above = 0;
  std::size_t below = 0;
  auto operator<=>(const Triple&) const = default;
};

struct WeightedTriple {
  Triple triple;
  exact::Integer weight;  // > 0
};

struct Pattern {
  PatternKind kind = PatternKind::kMargins;
  exact::Rational margin;                        // > 0; on x^T W y
  std::vector<WeightedTriple> constraints;       // kMargins only: strictly increasing
  std::size_t bos = 0;                           // the rest: all other kinds only
  std::vector<std::vector<std::size_t>> groups;  // non-empty, each non-empty
  std::vector<std::size_t> copies;               // none, or one for each group
};

inline constexpr std::size_t kMaxConstraints = 1'000'000;

// A pattern over vectors 0..count-1, and a list of triples [j, a, i, w] with j, a, i below `count`,
// a != i, w whole > 0 of at most `max_characters`, strictly increasing: the constraints of a
// pattern, the multipliers of its evidence. Their descriptions (schema.hpp) refuse a number out of
// range or named twice, an empty group, copies that do not fit the groups.
class Fields;
struct Key;
void describe(Fields& io, Pattern& of, std::size_t count);
void describe_weighted_triples(Fields& io, const Key& key, std::vector<WeightedTriple>& of,
                               std::size_t count, std::size_t max_characters);

}  // namespace sinkproof::certificate
