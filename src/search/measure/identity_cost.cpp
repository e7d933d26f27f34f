#include "measure/identity_cost.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "measure/exact_scores.hpp"
#include "measure/integer_ldlt.hpp"
#include "rounded/double.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;

// Gram matrix of rows less their mean, up to a factor: C G C with C = n I - 1 1^T.
IntegerMatrix centred(const IntegerMatrix& gram, const std::vector<std::size_t>& listed) {
  const std::size_t n = listed.size();
  IntegerMatrix own(n, n);
  IntegerMatrix centring(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      own(i, j) = gram(listed[i], listed[j]);
      centring(i, j) = Integer(i == j ? n : 0) - 1;
    }
  }
  return centring * own * centring;
}

// At least the largest eigenvalue of a / unit, a positive semidefinite: decided exactly, near
// `estimate` if that is near. 0 if none is found.
Rational largest_eigenvalue(const IntegerMatrix& a, const Integer& unit, double estimate) {
  if (!std::isfinite(estimate) || estimate <= 0) return 0;
  for (const double slack : {1e-9, 1e-6, 1e-3, 1.0}) {
    const Rational tried = rounded::from_double(estimate * (1 + slack));
    const Integer times = numerator(tried) * unit / denominator(tried);
    IntegerMatrix rest(a.rows(), a.rows());
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t j = 0; j < a.rows(); ++j) rest(i, j) = -a(i, j);
      rest(i, i) += times;
    }
    if (is_positive_semidefinite(std::move(rest))) return Rational(times, unit);
  }
  return 0;
}

// At most ||Z||_* / ||Z||_op of the centred rows Z: tr(A G) / (||A Z||_op ||Z||_op) for any matrix
// A, here about the inverse of the root of their Gram matrix G.
Rational effective_rank(const IntegerMatrix& gram) {
  const auto n = static_cast<Eigen::Index>(gram.rows());
  Integer largest = 0;
  for (const Integer& entry : gram.values()) largest = std::max(largest, magnitude(entry));
  if (largest == 0) return 0;
  Eigen::MatrixXd scaled(n, n);  // entries at most 1
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto& entry = gram(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      scaled(i, j) = rounded::to_double_estimate(Rational(entry, largest));
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(scaled);
  const double top = solved.eigenvalues().maxCoeff();
  constexpr double kLeastShare = 1e-12;  // of an eigenvalue that counts
  const Eigen::VectorXd inverse = solved.eigenvalues().unaryExpr(
      [&](double value) { return value > kLeastShare * top ? std::sqrt(top / value) : 0.0; });
  const Eigen::MatrixXd root =
      solved.eigenvectors() * inverse.asDiagonal() * solved.eigenvectors().transpose();
  constexpr unsigned kBits = 30;
  IntegerMatrix a(gram.rows(), gram.rows());
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
          measure::rounded(std::ldexp((root(i, j) + root(j, i)) / 2, kBits));
    }
  }
  // In units of `largest`, and A in units of 2^-kBits.
  const IntegerMatrix moved = a * gram * transpose(a);
  const Rational own = largest_eigenvalue(gram, largest, top);
  const Rational other = largest_eigenvalue(moved, largest << (2 * kBits), top);
  if (own == 0 || other == 0) return 0;
  const Rational along(trace_product(a, gram), largest << kBits);
  return std::max<Rational>(0, along / rounded::square_root(own * other).upper);
}

}  // namespace

IdentityCost identity_cost(const DyadicMatrix& rows, const std::vector<std::size_t>& listed) {
  const DyadicMatrix gram = exact_gram(rows);
  const Rational rank(exact_rank(gram.entries, listed).rank);
  // Slopes of the three activations are at most 1.13 in size.
  const Rational slope = exact::make_rational(8, 7);
  return {2 * rank, {2 / slope * effective_rank(centred(gram.entries, listed)), 4 * rank}};
}

}  // namespace sinkproof::measure
