// The margin constraints a pattern stands for (src/certificate/VECTOR_RULES.md, 6.2; docs/THEORY.md
// section 5), and the matrix that combines them. The search's own reading of the page; check/ has
// another.
#pragma once

#include <cstddef>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/matrix.hpp"
#include "json/strict.hpp"

namespace sinkproof::measure {

struct MarginSystem {
  json::Value pattern;                                   // as a certificate's statement holds it
  std::vector<certificate::WeightedTriple> constraints;  // strictly increasing, not empty
  exact::Rational margin;                                // of a constraint of weight 1
};

// The system of a pattern over vectors 0..count-1. SP0503, SP0101: as certificate::read_pattern.
// SP1508: the pattern stands for no constraint, or for more than a million.
exact::Result<MarginSystem> margin_system(const json::Value& pattern, std::size_t count);

// L of 6.2: sum of multiplier_k (e_query (e_above - e_below)^T), count x count.
template <typename Number>
exact::Matrix<Number> multiplier_matrix(const MarginSystem& system,
                                        const std::vector<std::size_t>& which,
                                        const std::vector<Number>& multipliers, std::size_t count) {
  exact::Matrix<Number> sum(count, count);
  for (std::size_t s = 0; s < which.size(); ++s) {
    const certificate::Triple& triple = system.constraints[which[s]].triple;
    sum(triple.query, triple.above) += multipliers[s];
    sum(triple.query, triple.below) -= multipliers[s];
  }
  return sum;
}

}  // namespace sinkproof::measure
