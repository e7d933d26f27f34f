// The certified cost of scoring given vectors in a pattern (docs/THEORY.md, co-6; VECTOR_RULES.md,
// 6.3): the least ||W_Q||_F^2 + ||W_K||_F^2, between two rationals. The optimum is searched for in
// doubles and rounded to whole numbers whose consequences are computed exactly.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "measure/exact_scores.hpp"
#include "measure/margin_system.hpp"
#include "measure/property.hpp"

namespace sinkproof::measure {

struct CostOptions {
  double gap = 0.02;     // relative gap to stop the search at
  double seconds = 300;  // or after that long
  std::function<void(double gap)> progress;
};

struct Cost {
  exact::Rational lower;
  exact::Rational upper;
  Property property;
  // W_Q and W_K of the upper bound, r x d, to the nearest doubles.
  Eigen::MatrixXd query;
  Eigen::MatrixXd key;
  int newton_steps = 0;
};

// Preconditions: `basis` are rows forming a basis of the span of the system's tokens, the system is
// over rows.rows() <= 256 tokens and can be satisfied. SP1612: no map was found in the time given.
// SP1613: the vectors are too nearly dependent for a search in doubles.
exact::Result<Cost> certified_cost(const DyadicMatrix& rows, const DyadicMatrix& gram,
                                   const certificate::Pattern& pattern, const MarginSystem& system,
                                   const std::vector<std::size_t>& basis,
                                   const CostOptions& options);

}  // namespace sinkproof::measure
