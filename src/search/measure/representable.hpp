// Can any matrix score given vectors as a margin system asks (claim ge-1)? Either some W does, and
// its squared Frobenius margin is enclosed (`representable`, VECTOR_RULES.md 6.5), or multipliers
// show exactly that none does (`infeasible`, 6.4).
#pragma once

#include "measure/exact_scores.hpp"
#include "measure/margin_system.hpp"
#include "measure/property.hpp"

namespace sinkproof::measure {

struct Representability {
  bool representable = false;
  // Representable only: the squared margin.
  exact::Rational lower;
  exact::Rational upper;
  // Not representable only: triples and y > 0 with sum y v_j (v_a - v_i)^T = 0.
  std::vector<certificate::WeightedTriple> multipliers;
  Property property;
};

// Preconditions: gram over the vectors of the system, rows = count <= 256. SP1611: the answer is
// too close to call in doubles, and the exact multipliers too long to compute.
exact::Result<Representability> representable(const DyadicMatrix& gram,
                                              const certificate::Pattern& pattern,
                                              const MarginSystem& system);

}  // namespace sinkproof::measure
