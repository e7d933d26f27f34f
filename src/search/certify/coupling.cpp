#include "certify/coupling.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "certify/estimate.hpp"
#include "certify/proof.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using exact::Matrix;
using exact::Rational;

constexpr std::size_t kFlags = 3;
constexpr int kSweeps = 80;
constexpr double kRoom = 1e-7;  // of the largest multiplier, for rounding

// Diagonal entries of small sum that make diag - [0, X^T/2; X/2, 0] positive semidefinite.
VectorXd diagonal_above(const MatrixXd& x) {
  const Eigen::Index d = x.rows();
  MatrixXd coupled = MatrixXd::Zero(2 * d, 2 * d);
  coupled.bottomLeftCorner(d, d) = x / 2;
  coupled.topRightCorner(d, d) = x.transpose() / 2;
  // max tr(coupled V V^T) over rows of length one, one row at a time; its gradients' lengths are
  // the dual.
  const auto rank = static_cast<Eigen::Index>(std::sqrt(4.0 * static_cast<double>(d))) + 2;
  std::mt19937_64 random(1);
  MatrixXd vectors(rank, 2 * d);
  for (Eigen::Index i = 0; i < vectors.size(); ++i) {
    vectors.data()[i] = static_cast<double>(random() >> 11U) * 0x1p-52 - 1;
  }
  vectors.colwise().normalize();
  VectorXd diagonal(2 * d);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Eigen::Index i = 0; i < 2 * d; ++i) {
      const VectorXd gradient = vectors * coupled.col(i);
      diagonal[i] = gradient.norm();
      if (diagonal[i] > 0) vectors.col(i) = gradient / diagonal[i];
    }
  }
  const MatrixXd gap = MatrixXd(diagonal.asDiagonal()) - coupled;
  const double least =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(gap, Eigen::EigenvaluesOnly).eigenvalues()[0];
  diagonal.array() += std::max(0.0, -least) + kRoom * diagonal.maxCoeff();
  return diagonal;
}

struct Rounded {
  std::vector<double> estimates;
  std::vector<Rational> exactly;
};

std::optional<Rounded> rounded_up(const VectorXd& values) {
  Rounded result;
  for (const double value : values) {
    const auto above = bound_above(value);
    if (!above || !certificate::is_multiplier(*above)) return std::nullopt;
    result.estimates.push_back(rounded::to_double_estimate(*above));
    result.exactly.push_back(*above);
  }
  return result;
}

}  // namespace

Coupling::Coupling(const Matrix<double>& logit)
    : noise_(logit.rows() - kFlags, logit.rows() - kFlags), keys_(noise_), own_(noise_) {
  for (std::size_t k = 0; k < dimension(); ++k) {
    for (std::size_t l = 0; l < dimension(); ++l) {
      noise_(k, l) = logit(2 + k, 2 + l);
      keys_(l, k) = noise_(k, l);
      if (k != l) own_(k, l) = logit(2 + k, 2 + l) + logit(2 + l, 2 + k);
    }
  }
}

const Multipliers* Coupling::multipliers() const {
  std::call_once(once_, [this] {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto d = static_cast<Eigen::Index>(dimension());
    const MatrixXd noise = Eigen::Map<const RowMajor>(query(0), d, d);
    const MatrixXd symmetric = Eigen::Map<const RowMajor>(own(0), d, d);
    const std::vector<Rational> ones(dimension(), 1);
    stated_ = {ones, ones, ones};
    if (!noise.allFinite() || noise.cwiseAbs().maxCoeff() < kLeastEstimate) return;
    const VectorXd both = diagonal_above(noise);
    const VectorXd twice = diagonal_above(symmetric);
    const auto keys = rounded_up(both.head(d));
    const auto queries = rounded_up(both.tail(d));
    const double least = kRoom * both.maxCoeff();  // own logits may be coupled by nothing
    const auto own = rounded_up((twice.head(d) + twice.tail(d)) / 2 + VectorXd::Constant(d, least));
    if (!keys || !queries || !own) return;
    multipliers_ = Multipliers{keys->estimates, queries->estimates, own->estimates};
    stated_ = {keys->exactly, queries->exactly, own->exactly};
  });
  return multipliers_ ? &*multipliers_ : nullptr;
}

}  // namespace sinkproof::certify
