// The margin constraints a pattern stands for, and the multipliers of its evidence. VECTOR_RULES.md
// section 6.2.
#pragma once

#include <vector>

#include "certificate/pattern.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {

// Constraints sorted by triple; the margin of each is its weight times `margin`.
struct MarginConstraints {
  std::vector<certificate::WeightedTriple> list;
  exact::Rational margin;
};

// Throws Rejected: no constraint, more than a million.
MarginConstraints margins_of(const certificate::Pattern& pattern);

struct Multipliers {
  exact::IntegerMatrix matrix;  // L: y at (query, above), -y at (query, below), summed
  exact::Integer weight;        // sum of y times the constraint's weight
};

// Throws Rejected unless each triple is one of the constraints. Precondition: all lie below
// `count`.
Multipliers sum_of(const std::vector<certificate::WeightedTriple>& multipliers,
                   const MarginConstraints& margins, std::size_t count);

// Throws Rejected unless scores(j, a) - scores(j, i) >= the margin for every constraint (j; a, i).
void require_margins(const MarginConstraints& margins, const exact::ScaledMatrix& scores);

}  // namespace sinkproof::check
