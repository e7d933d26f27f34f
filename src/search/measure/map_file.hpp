// A found map as a file of doubles whose margins hold exactly (claim co-6): the factors are rounded
// to doubles, the scores of the rounded numbers computed exactly, and the factors stretched until
// every margin holds.
#pragma once

#include <Eigen/Core>
#include <string>

#include "measure/margin_system.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

struct SavedMap {
  std::string path;
  exact::Rational cost;  // ||W_Q||_F^2 + ||W_K||_F^2 of the stored numbers
};

// Writes `W_Q.weight` and `W_K.weight` [r, d] and `W` [d, d], F64; the margins hold exactly for the
// product of the first two and for W. SP1615: no stretch within 2 % makes them hold. SP0203.
exact::Result<SavedMap> save_map(const std::string& path, const DyadicMatrix& tokens,
                                 const MarginSystem& system, const Eigen::MatrixXd& query,
                                 const Eigen::MatrixXd& key);

}  // namespace sinkproof::measure
