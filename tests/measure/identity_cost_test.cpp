// What it costs to give rows back (co-7): rows whose answers are known by hand, random rows against
// singular values in doubles, and the two facts about activations that the bounds use.
#include "measure/identity_cost.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "files.hpp"

using namespace sinkproof;

namespace {

using Rows = std::vector<std::vector<double>>;

measure::IdentityCost cost_of(const Rows& rows) {
  std::vector<std::size_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0);
  return measure::identity_cost(test::dyadic_rows(rows), all);
}

double effective_rank(const Rows& rows) {
  Eigen::MatrixXd z(rows.size(), rows[0].size());
  for (Eigen::Index i = 0; i < z.rows(); ++i) {
    for (Eigen::Index j = 0; j < z.cols(); ++j) {
      z(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  z.rowwise() -= z.colwise().mean().eval();
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(z).singularValues();
  return sizes.sum() / sizes[0];
}

void check_lower_bound(const exact::Rational& lower, double wanted) {
  const double bound = rounded::to_double_estimate(lower);
  CHECK(bound <= wanted * (1 + 1e-12));
  CHECK(bound >= wanted * (1 - 1e-6));
}

}  // namespace

TEST_CASE("Orthonormal rows: one direction is lost with their mean") {
  const auto cost = cost_of({{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  CHECK(cost.map == 8);
  CHECK(cost.mlp.upper >= 8);  // what neurons without biases need: ||relu(w)|| <= ||w||
  CHECK(cost.mlp.upper < exact::make_rational(81, 10));
  check_lower_bound(cost.mlp.lower, 2 * 3);
}

TEST_CASE("Rows that are all the same, or zero, are given back by a bias") {
  const auto same = cost_of({{1, 2}, {1, 2}, {1, 2}});
  CHECK(same.map == 2);
  CHECK(same.mlp.lower == 0);
  CHECK(same.mlp.upper == 4);
  const auto zero = cost_of({{0, 0}});
  CHECK(zero.map == 0);
  CHECK(zero.mlp.upper == 0);
}

TEST_CASE("Only the listed rows count") {
  const auto tokens = test::dyadic_rows({{0, 0, 9}, {1, 0, 0}, {-1, 0, 0}});
  const auto cost = measure::identity_cost(tokens, {1, 2});
  CHECK(cost.map == 2);
  check_lower_bound(cost.mlp.lower, 2);
}

TEST_CASE("The bound is that of the singular values, for independent and dependent rows") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t width : {3U, 9U, 24U}) {
    Rows rows(9, std::vector<double>(width));
    for (std::vector<double>& row : rows) {
      for (std::size_t c = 0; c < width; ++c)
        row[c] = 5 + normal(random) / static_cast<double>(1 + c);
    }
    const auto cost = cost_of(rows);
    CHECK(cost.map == 2 * std::min<std::size_t>(9, width));
    check_lower_bound(cost.mlp.lower, 2 * effective_rank(rows));
  }
}

TEST_CASE("A trained MLP with what puts it right is an upper bound, and costs less than pairs") {
  // Rows with a mean: neurons that never switch off need no partner.
  const Rows rows = {{4, 1, 0, 0}, {4, -1, 0, 0}, {4, 0, 1, 0}, {4, 0, 0, 1}};
  const auto cost = cost_of(rows);
  CHECK(cost.map == 8);
  CHECK(cost.mlp.upper < 10);
  CHECK(cost.mlp.upper > cost.mlp.lower);
  // What is bounded does not depend on the scale of the rows.
  Rows scaled = rows;
  for (std::vector<double>& row : scaled) {
    for (double& entry : row) entry /= 1024;
  }
  const double other = rounded::to_double_estimate(cost_of(scaled).mlp.upper);
  CHECK(other == Approx(rounded::to_double_estimate(cost.mlp.upper)).epsilon(1e-3));
  // Dependent rows are left to the pairs.
  CHECK(cost_of({{1, 2}, {2, 4}, {3, 5}}).mlp.upper == 8);
}

TEST_CASE("What an MLP leaves is put right, at its price") {
  const auto rows = test::dyadic_rows({{2, 0}, {0, 4}});
  // Pairs of neurons that give back the share c of each row: norms 8 c, errors 2 (1 - c), 4 (1 -
  // c), least eigenvalue 4.
  for (const double c : {0.0, 0.25, 1.0}) {
    Eigen::MatrixXd in(2, 4);
    in << 1, 0, -1, 0, 0, 1, 0, -1;
    in *= std::sqrt(c);
    const auto cost = measure::cost_put_right(rows, {in, in.transpose()});
    REQUIRE(cost);
    const double wanted = 8 * c + 4 * std::sqrt(2 * 20.0 / 4) * (1 - c);
    CHECK(rounded::to_double_estimate(*cost) == Approx(wanted).epsilon(1e-8));
  }
  CHECK(!measure::cost_put_right(test::dyadic_rows({{1, 2}, {2, 4}}), {{}, {}}));
}

TEST_CASE("ReLU, GELU and SiLU: two give back their argument, and no slope exceeds 8/7") {
  const std::function<double(double)> activations[] = {
      [](double x) { return std::max(x, 0.0); },
      [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); },
      [](double x) {
        return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      },
      [](double x) { return x / (1 + std::exp(-x)); },
  };
  for (const auto& act : activations) {
    constexpr double kStep = 1.0 / 1024;
    for (double x = -20; x < 20; x += kStep) {
      CHECK(act(x) - act(-x) == Approx(x).margin(1e-12));
      REQUIRE(std::abs(act(x + kStep) - act(x)) <= 8.0 / 7 * kStep);
    }
  }
}
