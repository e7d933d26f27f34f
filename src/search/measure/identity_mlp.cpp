#include "measure/identity_mlp.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

namespace sinkproof::measure {
namespace {

using Eigen::MatrixXd;

// Adam (arXiv:1412.6980) on one matrix.
class Descent {
 public:
  explicit Descent(MatrixXd begin)
      : now(std::move(begin)),
        mean_(MatrixXd::Zero(now.rows(), now.cols())),
        square_(MatrixXd::Zero(now.rows(), now.cols())) {}

  void step(const MatrixXd& gradient, double rate, int made) {
    constexpr double kMean = 0.9;
    constexpr double kSquare = 0.999;
    mean_ = kMean * mean_ + (1 - kMean) * gradient;
    square_ = kSquare * square_ + (1 - kSquare) * gradient.cwiseAbs2();
    const double size = rate / (1 - std::pow(kMean, made + 1));
    const double unbias = 1 / (1 - std::pow(kSquare, made + 1));
    now.array() -= size * mean_.array() / ((unbias * square_.array()).sqrt() + 1e-12);
  }

  MatrixXd now;

 private:
  MatrixXd mean_, square_;
};

// In coordinates of the rows' span.
ReluMlp descend(const MatrixXd& rows, int steps) {
  const Eigen::Index rank = rows.cols();
  MatrixXd begin(rank, 2 * rank);
  begin << MatrixXd::Identity(rank, rank), -MatrixXd::Identity(rank, rank);
  std::mt19937_64 random(1);
  for (double& entry : begin.reshaped()) {  // off the saddle; no library's distribution
    entry += 0.07 * (static_cast<double>(random() >> 11U) / 9007199254740992.0 - 0.5);
  }
  Descent in(begin);
  Descent out(begin.transpose());
  for (int made = 0; made < steps; ++made) {
    const double share = static_cast<double>(made) / steps;
    const double rate = 5e-3 * (1 - share) + 1e-5;
    const double penalty = std::pow(10, 2 + 4 * std::min(1.0, 1.5 * share));
    const MatrixXd logits = rows * in.now;
    const MatrixXd hidden = logits.cwiseMax(0);
    const MatrixXd error = hidden * out.now - rows;
    const MatrixXd d_hidden =
        (error * out.now.transpose()).cwiseProduct((logits.array() > 0).cast<double>().matrix());
    const MatrixXd d_out = 2 * out.now + 2 * penalty * hidden.transpose() * error;
    in.step(2 * in.now + 2 * penalty * rows.transpose() * d_hidden, rate, made);
    out.step(d_out, rate, made);
  }
  return {in.now, out.now};
}

}  // namespace

ReluMlp identity_mlp(const MatrixXd& rows) {
  const double size = std::sqrt(rows.squaredNorm() / static_cast<double>(rows.rows()));
  const Eigen::BDCSVD<MatrixXd> svd(rows, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::Index rank = svd.rank();
  constexpr int kSteps = 3000;
  constexpr double kMostProducts = 1e11;
  const auto squares = static_cast<double>(rank * rank);
  const double products = 12 * kSteps * static_cast<double>(rows.rows()) * squares;
  if (rank == 0 || !(size > 0) || products > kMostProducts) return {};
  const MatrixXd basis = svd.matrixV().leftCols(rank);
  const ReluMlp found = descend(rows * basis / size, kSteps);
  return {basis * found.in, found.out * basis.transpose()};
}

}  // namespace sinkproof::measure
