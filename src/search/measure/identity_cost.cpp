#include "measure/identity_cost.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "measure/exact_scores.hpp"
#include "measure/identity_mlp.hpp"
#include "measure/integer_ldlt.hpp"
#include "rounded/double.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Rational;

using exact::make_rational;

// a / unit, about.
Eigen::MatrixXd floats(const IntegerMatrix& a, const Integer& unit) {
  Eigen::MatrixXd all(a.rows(), a.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) {
      all(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          rounded::to_double_estimate(make_rational(a(i, j), unit));
    }
  }
  return all;
}

// Gram matrix of rows less their mean, up to a factor: C G C with C = n I - 1 1^T.
IntegerMatrix centred(const IntegerMatrix& gram) {
  const std::size_t n = gram.rows();
  IntegerMatrix centring(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) centring(i, j) = Integer(i == j ? n : 0) - 1;
  }
  return centring * gram * centring;
}

// The first of estimate (1 + slack) such that sign (that I - a / unit) is positive semidefinite,
// decided exactly; 0 if none is.
Rational eigenvalue_beyond(const IntegerMatrix& a, const Integer& unit, double estimate, int sign) {
  if (!std::isfinite(estimate) || estimate <= 0) return 0;
  for (const double slack : {1e-9, 1e-6, 1e-3, 0.5}) {
    const Rational tried = rounded::from_double(estimate * (1 + sign * slack));
    IntegerMatrix rest = a;
    for (Integer& entry : rest.values()) entry *= -sign * denominator(tried);
    for (std::size_t i = 0; i < a.rows(); ++i) rest(i, i) += sign * numerator(tried) * unit;
    if (is_positive_semidefinite(std::move(rest))) return tried;
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
  const Eigen::MatrixXd scaled = floats(gram, largest);  // entries at most 1
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
  const Rational own = eigenvalue_beyond(gram, largest, top, 1);
  const Rational other = eigenvalue_beyond(moved, largest << (2 * kBits), top, 1);
  if (own == 0 || other == 0) return 0;
  const Rational along = make_rational(trace_product(a, gram), largest << kBits);
  return std::max<Rational>(0, along / rounded::square_root(own * other).upper);
}

constexpr unsigned kWeightBits = 40;

IntegerMatrix in_weight_bits(const Eigen::MatrixXd& weights) {
  IntegerMatrix whole(static_cast<std::size_t>(weights.rows()),
                      static_cast<std::size_t>(weights.cols()));
  for (std::size_t i = 0; i < whole.rows(); ++i) {
    for (std::size_t j = 0; j < whole.columns(); ++j) {
      const double weight = weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      whole(i, j) = measure::rounded(std::ldexp(weight, kWeightBits));
    }
  }
  return whole;
}

}  // namespace

// Pairs of neurons give a map M its place beside the MLP. With errors R and all eigenvalues of the
// Gram matrix at least mu, ||M||_F^2 <= ||R||_F^2 / mu, and M costs 4 ||M||_* <= 4 sqrt(n) ||M||_F.
std::optional<Rational> cost_put_right(const DyadicMatrix& rows, const ReluMlp& mlp) {
  const Integer unit = Integer(1) << (2 * rows.scale);
  const IntegerMatrix gram = rows.entries * transpose(rows.entries);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(floats(gram, unit),
                                                              Eigen::EigenvaluesOnly);
  const Rational least = eigenvalue_beyond(gram, unit, solved.eigenvalues().minCoeff(), -1);
  if (least == 0 || !mlp.in.allFinite() || !mlp.out.allFinite()) return std::nullopt;
  const IntegerMatrix in = in_weight_bits(mlp.in);
  const IntegerMatrix out = in_weight_bits(mlp.out);
  IntegerMatrix hidden = rows.entries * in;
  for (Integer& entry : hidden.values()) entry = std::max<Integer>(entry, 0);
  const IntegerMatrix given = hidden * out;
  Integer errors = 0;
  for (std::size_t i = 0; i < given.values().size(); ++i) {
    const Integer error = given.values()[i] - (rows.entries.values()[i] << (2 * kWeightBits));
    add_product(errors, error, error);
  }
  const Rational squares = make_rational(errors, unit << (4 * kWeightBits));
  const Integer norms = trace_product(in, in) + trace_product(out, out);
  const Rational n(rows.rows());
  return make_rational(norms, Integer(1) << (2 * kWeightBits)) +
         4 * rounded::square_root(n * squares / least).upper;
}

IdentityCost identity_cost(const DyadicMatrix& rows, const std::vector<std::size_t>& listed) {
  DyadicMatrix own{exact::Matrix<Integer>(listed.size(), rows.columns()), rows.scale};
  for (std::size_t i = 0; i < listed.size(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) own.entries(i, j) = rows.entries(listed[i], j);
  }
  const IntegerMatrix gram = own.entries * transpose(own.entries);
  std::vector<std::size_t> all(listed.size());
  std::iota(all.begin(), all.end(), 0);
  const Rational rank(exact_rank(gram, all).rank);
  IdentityCost cost{2 * rank, {2 * effective_rank(centred(gram)), 4 * rank}};
  const ReluMlp mlp = identity_mlp(floats(own.entries, Integer(1) << own.scale));
  if (mlp.in.size() == 0) return cost;
  if (const auto trained = cost_put_right(own, mlp)) {
    cost.mlp.upper = exact::min(cost.mlp.upper, *trained);
  }
  return cost;
}

}  // namespace sinkproof::measure
