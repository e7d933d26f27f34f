// Products and decompositions of dense matrices of doubles, by Eigen. Its templates take most of a
// minute to compile, so dense.cpp compiles each of them once, for plain column-major matrices; a
// search written in terms of these needs <Eigen/Core> alone. Shapes must fit: nothing is checked.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace sinkproof::measure {

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                        const Eigen::MatrixXd& c);  // (a b) c

// a = left * diag(values) * right^T, values decreasing, as many columns as values.
struct SingularValues {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};
SingularValues singular_value_decomposition(const Eigen::MatrixXd& a);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& a);

// Increasing; of a symmetric matrix, whose lower half is read.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

// The lower Cholesky factor; nothing when the matrix is not positive definite as far as doubles
// see.
std::optional<Eigen::MatrixXd> cholesky_factor(const Eigen::MatrixXd& symmetric);

// X with L X = right for a lower triangular L, and with U X = right for an upper triangular U.
Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& right);
Eigen::MatrixXd solve_upper(const Eigen::MatrixXd& upper, const Eigen::MatrixXd& right);

// a = columns * triangle for a matrix of no more columns than rows; `triangle` is square and upper.
struct Orthonormal {
  Eigen::MatrixXd columns;
  Eigen::MatrixXd triangle;
};
Orthonormal orthonormal_columns(const Eigen::MatrixXd& a);

}  // namespace sinkproof::measure
