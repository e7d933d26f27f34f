// The margin constraints a pattern stands for, the multipliers and coefficient matrices of its
// evidence. VECTOR_RULES.md section 6.2.
#pragma once

#include <string>
#include <vector>

#include "certificate/pattern.hpp"
#include "check/scaled_matrix.hpp"

namespace sinkproof::check {

// Constraints sorted by triple; the margin of each is its weight times `margin`.
struct MarginConstraints {
  std::vector<certificate::WeightedTriple> list;
  exact::Rational margin;
};

// Throws Rejected: a pattern that cannot be read, no constraint, more than a million.
MarginConstraints read_margins(const json::Value& pattern, std::size_t count);

struct Multipliers {
  IntegerMatrix matrix;   // L: y at (query, above), -y at (query, below), summed
  exact::Integer weight;  // sum of y times the constraint's weight
  bool empty = true;
};

// Throws Rejected unless each triple is one of the constraints and each y is whole, > 0, of at most
// `max_characters`.
Multipliers read_multipliers(const json::Value& list, const MarginConstraints& margins,
                             std::size_t count, std::size_t max_characters);

// {"denominator", "rows"} with rows of `count` whole numbers; throws Rejected.
ScaledMatrix read_coefficients(const json::Value& object, std::size_t count,
                               const std::string& where);

// Throws Rejected unless scores(j, a) - scores(j, i) >= the margin for every constraint (j; a, i).
void require_margins(const MarginConstraints& margins, const ScaledMatrix& scores);

}  // namespace sinkproof::check
