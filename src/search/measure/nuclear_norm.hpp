// The cheapest map under margin constraints, in floats: minimise ||M||_* over r x r matrices M with
// <A_k, M> >= m_k, where <A_k, M> = z_j^T M (z_a - z_i) for a triple (j; a, i) (docs/THEORY.md,
// co-6). A primal-dual interior-point method with
// Nesterov-Todd scaling for this and its dual, maximise sum y_k m_k over y >= 0 with
// ||sum y_k A_k||_op <= 1, whose Newton steps are found by conjugate gradients: a product with the
// Hessian is four n x n matrix products, whatever the number of triples, so that no system of
// their size is ever formed. Every step also gives a matrix M that satisfies all constraints, hence
// both bounds. An estimate all the same: rounding and the exact checks come after it.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <vector>

namespace sinkproof::measure {

// z_query^T M z_above >= margin + z_query^T M z_below.
struct FloatConstraint {
  Eigen::Index query = 0;
  Eigen::Index above = 0;
  Eigen::Index below = 0;
  double margin = 0;  // > 0
};

struct NuclearNormProblem {
  Eigen::MatrixXd coordinates;               // n x r, full column rank: row k is z_k
  std::vector<FloatConstraint> constraints;  // not empty
};

struct NuclearNormEstimate {
  Eigen::VectorXd multipliers;  // y >= 0, one for each constraint, ||sum y_k A_k||_op = 1 about
  Eigen::MatrixXd map;          // M, r x r, all margins hold about
  double lower = 0;             // sum y_k m_k
  double upper = 0;             // ||M||_*; infinite when no M was found
  int newton_steps = 0;
  int products = 0;  // with the Hessian
};

struct NuclearNormLimits {
  double gap = 0.02;     // stop when (upper - lower) <= gap * upper
  double seconds = 300;  // or after that long, by the clock
  std::function<void(double gap)> progress;
};

NuclearNormEstimate minimise_nuclear_norm(const NuclearNormProblem& problem,
                                          const NuclearNormLimits& limits);

}  // namespace sinkproof::measure
