#include "measure/nuclear_norm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "measure/dense.hpp"

namespace sinkproof::measure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

// sum y_k e_j (e_a - e_i)^T, n x n.
MatrixXd multiplier_matrix(const NuclearNormProblem& problem, const VectorXd& y) {
  const Index n = problem.coordinates.rows();
  MatrixXd sum = MatrixXd::Zero(n, n);
  Index k = 0;
  for (const FloatConstraint& c : problem.constraints) {
    sum(c.query, c.above) += y(k);
    sum(c.query, c.below) -= y(k);
    ++k;
  }
  return sum;
}

// The score differences of an n x n matrix of scores, one for each constraint.
VectorXd differences(const NuclearNormProblem& problem, const MatrixXd& scores) {
  VectorXd result(static_cast<Index>(problem.constraints.size()));
  Index k = 0;
  for (const FloatConstraint& c : problem.constraints) {
    result(k++) = scores(c.query, c.above) - scores(c.query, c.below);
  }
  return result;
}

MatrixXd dual_map(const NuclearNormProblem& problem, const VectorXd& y) {
  return product(problem.coordinates.transpose(), multiplier_matrix(problem, y),
                 problem.coordinates);
}

double operator_norm(const MatrixXd& a) {
  return std::sqrt(std::max(0.0, eigenvalues(product(a.transpose(), a)).maxCoeff()));
}

double nuclear_norm(const MatrixXd& a) { return singular_values(a).sum(); }

VectorXd margins(const NuclearNormProblem& problem) {
  VectorXd result(static_cast<Index>(problem.constraints.size()));
  Index k = 0;
  for (const FloatConstraint& c : problem.constraints) result(k++) = c.margin;
  return result;
}

// [[0, Y], [Y^T, 0]] / 2.
MatrixXd embedded(const MatrixXd& dual) {
  const Index r = dual.rows();
  MatrixXd whole = MatrixXd::Zero(2 * r, 2 * r);
  whole.topRightCorner(r, r) = 0.5 * dual;
  whole.bottomLeftCorner(r, r) = 0.5 * dual.transpose();
  return whole;
}

// The matrix of the Newton equations, H + diag(s / y): H_kl = <F_k, W F_l W> for the Nesterov-Todd
// scaling W = [[P, N], [N^T, R]] and F_k the embedded A_k.
class NewtonMatrix {
 public:
  NewtonMatrix(const NuclearNormProblem& problem, const MatrixXd& scaling, VectorXd diagonal)
      : problem_(problem), diagonal_(std::move(diagonal)) {
    const MatrixXd& z = problem.coordinates;
    const Index r = z.cols();
    queries_ = product(z, scaling.topLeftCorner(r, r), z.transpose());
    keys_ = product(z, scaling.bottomRightCorner(r, r), z.transpose());
    cross_ = product(z, scaling.topRightCorner(r, r), z.transpose());
  }

  [[nodiscard]] VectorXd times(const VectorXd& direction) const {
    const MatrixXd change = multiplier_matrix(problem_, direction);
    const MatrixXd scores =
        product(queries_, change, keys_) + product(cross_, change.transpose(), cross_);
    return 0.5 * differences(problem_, scores) + diagonal_.cwiseProduct(direction);
  }

  [[nodiscard]] VectorXd diagonal() const {
    VectorXd result = diagonal_;
    Index k = 0;
    for (const FloatConstraint& c : problem_.constraints) {
      const double key =
          keys_(c.above, c.above) + keys_(c.below, c.below) - 2 * keys_(c.above, c.below);
      const double mixed = cross_(c.query, c.above) - cross_(c.query, c.below);
      result(k) += 0.5 * (queries_(c.query, c.query) * key + mixed * mixed);
      ++k;
    }
    return result;
  }

 private:
  const NuclearNormProblem& problem_;
  VectorXd diagonal_;
  MatrixXd queries_;  // Z P Z^T
  MatrixXd keys_;     // Z R Z^T
  MatrixXd cross_;    // Z N Z^T
};

// Conjugate gradients for matrix * x = right, to a residual of `tolerance` times the right side's.
VectorXd solve(const NewtonMatrix& matrix, const VectorXd& right, double tolerance, int most,
               int& products) {
  const VectorXd inverse = matrix.diagonal().cwiseInverse();
  VectorXd x = VectorXd::Zero(right.size());
  VectorXd residual = right;
  VectorXd scaled = inverse.cwiseProduct(residual);
  VectorXd direction = scaled;
  double product = residual.dot(scaled);
  const double enough = tolerance * right.norm();
  for (int step = 0; step < most && residual.norm() > enough; ++step) {
    const VectorXd image = matrix.times(direction);
    ++products;
    const double length = product / direction.dot(image);
    x += length * direction;
    residual -= length * image;
    scaled = inverse.cwiseProduct(residual);
    const double next = residual.dot(scaled);
    direction = scaled + (next / product) * direction;
    product = next;
  }
  return x;
}

// The largest step in (0, 1] that keeps a positive definite matrix, given by its lower Cholesky
// factor, positive definite, and a positive vector positive; shortened a little.
double longest_step(const MatrixXd& factor, const MatrixXd& change, const VectorXd& vector,
                    const VectorXd& vector_change, double share) {
  const MatrixXd relative = solve_lower(factor, solve_lower(factor, change).transpose());
  const double worst =
      std::min(eigenvalues(relative).minCoeff(), vector_change.cwiseQuotient(vector).minCoeff());
  return worst < 0 ? std::min(1.0, -share / worst) : 1.0;
}

class Search {
 public:
  Search(const NuclearNormProblem& problem, const NuclearNormLimits& limits)
      : problem_(problem),
        limits_(limits),
        margins_(margins(problem)),
        rank_(problem.coordinates.cols()) {
    best_.upper = std::numeric_limits<double>::infinity();
  }

  NuclearNormEstimate run() {
    const auto start = Clock::now();
    start_points();
    for (int step = 0; step < kMostSteps; ++step) {
      best_.newton_steps = step + 1;
      if (!advance()) break;
      offer_map(primal_.topRightCorner(rank_, rank_));
      offer_multipliers();
      const double gap = (best_.upper - best_.lower) / best_.upper;
      if (limits_.progress) limits_.progress(gap);
      const std::chrono::duration<double> spent = Clock::now() - start;
      if (gap <= limits_.gap || spent.count() > limits_.seconds) break;
    }
    return best_;
  }

 private:
  static constexpr int kMostSteps = 400;
  static constexpr int kMostProducts = 5000;
  static constexpr double kResidual = 1e-3;

  // y uniform with ||Y|| = 1/2; X and s of the size that a W of that direction would have.
  void start_points() {
    y_ = margins_.cwiseInverse();
    y_ *= 0.5 / operator_norm(dual_map(problem_, y_));
    const double size = margins_.dot(y_) * 4000 / static_cast<double>(rank_);
    primal_ = size * MatrixXd::Identity(2 * rank_, 2 * rank_);
    slack_ = (0.5 * size) * y_.cwiseInverse();
  }

  [[nodiscard]] MatrixXd dual_slack() const {
    return 0.5 * MatrixXd::Identity(2 * rank_, 2 * rank_) - embedded(dual_map(problem_, y_));
  }

  [[nodiscard]] double mu() const {
    return (primal_.cwiseProduct(dual_slack()).sum() + slack_.dot(y_)) /
           static_cast<double>(2 * rank_ + y_.size());
  }

  [[nodiscard]] VectorXd forms(const MatrixXd& map) const {
    const MatrixXd& z = problem_.coordinates;
    return differences(problem_, product(z, map, z.transpose()));
  }

  // One step of both points; false when rounding leaves nothing to step from.
  bool advance() {
    const MatrixXd dual = dual_slack();
    const auto x_root = cholesky_factor(primal_);
    const auto s_root = cholesky_factor(dual);
    if (!x_root || !s_root) return false;
    const auto svd = singular_value_decomposition(product(s_root->transpose(), *x_root));
    const MatrixXd half =
        product(*x_root, svd.right) * svd.values.cwiseSqrt().cwiseInverse().asDiagonal();
    const MatrixXd scaling = product(half, half.transpose());
    const double target = sigma_ * mu();
    const MatrixXd inverse = solve_upper(
        s_root->transpose(), solve_lower(*s_root, MatrixXd::Identity(2 * rank_, 2 * rank_)));
    const NewtonMatrix matrix(problem_, scaling, slack_.cwiseQuotient(y_));
    const VectorXd right = margins_ - target * forms(inverse.topRightCorner(rank_, rank_)) +
                           target * y_.cwiseInverse();
    const VectorXd dy = solve(matrix, right, kResidual, kMostProducts, best_.products);
    const MatrixXd change = embedded(dual_map(problem_, dy));
    MatrixXd dx = target * inverse - primal_ + product(scaling, change, scaling);
    dx = (0.5 * (dx + dx.transpose())).eval();
    const VectorXd ds =
        target * y_.cwiseInverse() - slack_ - slack_.cwiseQuotient(y_).cwiseProduct(dy);
    primal_step_ = longest_step(*x_root, dx, slack_, ds, kShare);
    dual_step_ = longest_step(*s_root, -change, y_, dy, kShare);
    primal_ += primal_step_ * dx;
    slack_ += primal_step_ * ds;
    y_ += dual_step_ * dy;
    const double least = std::min(primal_step_, dual_step_);
    sigma_ = std::clamp(1 - least, kLeastSigma, kMostSigma);
    return true;
  }

  void offer_map(const MatrixXd& map) {
    const double worst = forms(map).cwiseQuotient(margins_).minCoeff();
    if (!(worst > 0)) return;
    const double cost = nuclear_norm(map) / worst;
    if (!(cost < best_.upper)) return;
    best_.upper = cost;
    best_.map = map / worst;
  }

  void offer_multipliers() {
    const double norm = operator_norm(dual_map(problem_, y_));
    const double value = margins_.dot(y_) / norm;
    if (!(value > best_.lower)) return;
    best_.lower = value;
    best_.multipliers = y_ / norm;
  }

  static constexpr double kShare = 0.97;
  static constexpr double kLeastSigma = 0.05;
  static constexpr double kMostSigma = 0.9;

  const NuclearNormProblem& problem_;
  const NuclearNormLimits& limits_;
  VectorXd margins_;
  Index rank_;
  VectorXd y_;       // dual point
  VectorXd slack_;   // s
  MatrixXd primal_;  // X, 2r x 2r
  double sigma_ = 0.3;
  double primal_step_ = 0;
  double dual_step_ = 0;
  NuclearNormEstimate best_;
};

}  // namespace

NuclearNormEstimate minimise_nuclear_norm(const NuclearNormProblem& problem,
                                          const NuclearNormLimits& limits) {
  return Search(problem, limits).run();
}

}  // namespace sinkproof::measure
