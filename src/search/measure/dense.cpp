#include "measure/dense.hpp"

#include <Eigen/Dense>

namespace sinkproof::measure {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd product(const MatrixXd& a, const MatrixXd& b) { return a * b; }

MatrixXd product(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c) {
  return product(product(a, b), c);
}

SingularValues singular_value_decomposition(const MatrixXd& a) {
  const Eigen::BDCSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

VectorXd singular_values(const MatrixXd& a) { return Eigen::BDCSVD<MatrixXd>(a).singularValues(); }

VectorXd eigenvalues(const MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

std::optional<MatrixXd> cholesky_factor(const MatrixXd& symmetric) {
  const Eigen::LLT<MatrixXd> factor(symmetric);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor.matrixL();
}

MatrixXd solve_lower(const MatrixXd& lower, const MatrixXd& right) {
  return lower.triangularView<Eigen::Lower>().solve(right);
}

MatrixXd solve_upper(const MatrixXd& upper, const MatrixXd& right) {
  return upper.triangularView<Eigen::Upper>().solve(right);
}

Orthonormal orthonormal_columns(const MatrixXd& a) {
  const Eigen::HouseholderQR<MatrixXd> qr(a);
  return {qr.householderQ() * MatrixXd::Identity(a.rows(), a.cols()),
          qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>()};
}

}  // namespace sinkproof::measure
