#include "estimate/attention_shape.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace sinkproof::estimate {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Viewed = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

double entropy(const double* weights, std::size_t count) {
  double all = 0;
  for (std::size_t k = 0; k < count; ++k) all += std::abs(weights[k]);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = all > 0 ? std::abs(weights[k]) / all : 0;
    if (share > 0) sum -= share * std::log(share);
  }
  return sum;
}

}  // namespace

double uniformity(const Rows& weights, const Rows& uniform) {
  double sum = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < weights.rows; ++i) {
    std::size_t seen = 0;
    for (std::size_t k = 0; k < uniform.columns; ++k) seen += uniform.row(i)[k] != 0 ? 1 : 0;
    if (seen < 2) continue;
    sum += entropy(weights.row(i), weights.columns) / std::log(static_cast<double>(seen));
    ++rows;
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

std::size_t rank_holding(const Rows& rows, double share) {
  const Viewed all(rows.data, static_cast<Eigen::Index>(rows.rows),
                   static_cast<Eigen::Index>(rows.columns),
                   Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride)));
  const Eigen::MatrixXd gram = rows.rows <= rows.columns ? Eigen::MatrixXd(all * all.transpose())
                                                         : Eigen::MatrixXd(all.transpose() * all);
  const double whole = gram.trace();
  if (!(whole > 0)) return 0;
  // Ascending.
  const Eigen::VectorXd squares =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  double held = 0;
  std::size_t rank = 0;
  for (Eigen::Index k = squares.size(); k > 0 && held < share * whole; --k, ++rank) {
    held += squares[k - 1];
  }
  return rank;
}

}  // namespace sinkproof::estimate
