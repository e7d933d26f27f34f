// Wolfe's algorithm against answers known by hand, against all subsets of small random point sets,
// and on a polytope with a closed form.
#include "measure/min_norm_point.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;
using measure::Combination;
using measure::GramPoints;

namespace {

using Rows = std::vector<std::vector<long>>;

RationalMatrix gram_of(const Rows& rows) {
  RationalMatrix gram(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      gram(i, j) = std::inner_product(rows[i].begin(), rows[i].end(), rows[j].begin(), 0L);
    }
  }
  return gram;
}

exact::Matrix<double> doubles(const RationalMatrix& gram) {
  exact::Matrix<double> result(gram.rows(), gram.columns());
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.columns(); ++j) {
      result(i, j) = rounded::to_double_estimate(gram(i, j));
    }
  }
  return result;
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// The largest |p_k|^2.
double longest(const RationalMatrix& gram) {
  Rational largest = 0;
  for (std::size_t k = 0; k < gram.rows(); ++k) largest = exact::max(largest, gram(k, k));
  return rounded::to_double_estimate(largest);
}

constexpr std::size_t kManyBits = 1000000;

measure::ExactMinNormPoint solve(const Rows& rows) {
  const RationalMatrix gram = gram_of(rows);
  const exact::Matrix<double> estimate = doubles(gram);
  const auto start = measure::min_norm_point(GramPoints<double>(estimate, all_of(rows.size())));
  CHECK(start.converged);
  CHECK(start.steps < 1000);
  const auto found = measure::exact_min_norm_point(GramPoints<Rational>(gram, all_of(rows.size())),
                                                   start.point, kManyBits);
  REQUIRE(found);
  CHECK(
      start.squared_norm ==
      Approx(rounded::to_double_estimate(found->squared_norm)).margin(1e-12 * (1 + longest(gram))));
  return *found;
}

std::vector<Integer> whole(std::initializer_list<long> values) {
  return {values.begin(), values.end()};
}

// The least norm over all subsets whose affine minimiser has positive weights.
Rational by_subsets(const Rows& rows) {
  const RationalMatrix gram = gram_of(rows);
  Rational best = gram(0, 0);
  for (std::size_t mask = 1; mask < (std::size_t{1} << rows.size()); ++mask) {
    Rows chosen;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (((mask >> k) & 1U) != 0) chosen.push_back(rows[k]);
    }
    const auto minimiser = measure::affine_minimiser(gram_of(chosen));
    if (!minimiser) continue;
    bool inside = true;
    for (const Integer& weight : minimiser->weights) inside = inside && weight > 0;
    if (inside) best = exact::min(best, minimiser->squared_norm);
  }
  return best;
}

// |sum a p|^2 / (sum a)^2, and whether every point is on the far side of the hyperplane through it.
void check_optimal(const Rows& rows, const measure::ExactMinNormPoint& found) {
  const RationalMatrix gram = gram_of(rows);
  const auto& [support, weights] = found.point;
  Rational sum = 0;
  Rational square = 0;
  for (std::size_t s = 0; s < support.size(); ++s) {
    CHECK(weights[s] > 0);
    if (s > 0) CHECK(support[s - 1] < support[s]);
    sum += Rational(weights[s]);
    for (std::size_t r = 0; r < support.size(); ++r) {
      square += Rational(weights[s] * weights[r]) * gram(support[s], support[r]);
    }
  }
  CHECK(square == found.squared_norm * sum * sum);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Rational product = 0;
    for (std::size_t s = 0; s < support.size(); ++s) {
      product += Rational(weights[s]) * gram(support[s], k);
    }
    CHECK(product >= found.squared_norm * sum);
  }
}

// The cross-polytope v + conv{+-e_i} in R^n, v = c (1,..,1): 2 n points nobody writes down.
class CrossPolytope final : public measure::PointSet<double> {
 public:
  CrossPolytope(std::size_t n, double c) : n_(n), c_(c) {}
  [[nodiscard]] std::size_t count() const override { return 2 * n_; }
  [[nodiscard]] double inner(std::size_t k, std::size_t l) const override {
    const double same = k % n_ == l % n_ ? sign(k) * sign(l) : 0;
    return static_cast<double>(n_) * c_ * c_ + c_ * (sign(k) + sign(l)) + same;
  }
  [[nodiscard]] measure::Least<double> least(const Combination<double>& x) const override {
    std::vector<double> coordinates(n_);
    double sum = 0;
    for (std::size_t s = 0; s < x.support.size(); ++s) {
      coordinates[x.support[s] % n_] += x.weights[s] * sign(x.support[s]);
      sum += x.weights[s];
    }
    for (double& value : coordinates) value += sum * c_;
    measure::Least<double> best{0, INFINITY};
    const double along = c_ * std::accumulate(coordinates.begin(), coordinates.end(), 0.0);
    for (std::size_t k = 0; k < 2 * n_; ++k) {
      const double value = along + sign(k) * coordinates[k % n_];
      if (value < best.value) best = {k, value};
    }
    return best;
  }

 private:
  [[nodiscard]] double sign(std::size_t k) const { return k < n_ ? 1 : -1; }
  std::size_t n_;
  double c_;
};

}  // namespace

TEST_CASE("the nearest point of an edge") {
  const auto found = solve({{2, 1}, {3, 0}, {2, -1}});
  CHECK(found.point.support == std::vector<std::size_t>{0, 2});
  CHECK(found.point.weights == whole({1, 1}));
  CHECK(found.squared_norm == 4);
}

TEST_CASE("a vertex, alone or among others") {
  CHECK(solve({{3, 4}}).squared_norm == 25);
  const auto found = solve({{5, 5}, {1, 2}, {3, 2}, {1, 2}});
  CHECK(found.squared_norm == 5);
  CHECK(found.point.weights == whole({1}));
}

TEST_CASE("zero inside a hull has whole weights") {
  const auto found = solve({{1, 0}, {-1, 1}, {-1, -2}});
  CHECK(found.squared_norm == 0);
  CHECK(found.point.support == std::vector<std::size_t>{0, 1, 2});
  CHECK(found.point.weights == whole({3, 2, 1}));
  CHECK(solve({{0, 0, 0}}).squared_norm == 0);
}

TEST_CASE("an affine hull's least point may have weights of both signs") {
  const auto found = measure::affine_minimiser(gram_of({{1, 1}, {2, 1}}));
  REQUIRE(found);
  CHECK(found->weights == whole({2, -1}));
  CHECK(found->squared_norm == 1);
  CHECK_FALSE(measure::affine_minimiser(gram_of({{1, 1}, {2, 1}, {3, 1}})));
  CHECK_FALSE(measure::affine_minimiser(gram_of({{1, 1}, {1, 1}})));
}

TEST_CASE("small random point sets, against every subset") {
  std::mt19937_64 random(11);
  int zeros = 0;
  for (int round = 0; round < 150; ++round) {
    const std::size_t dimension = 1 + random() % 4;
    const std::size_t count = 1 + random() % 9;
    const long shift = static_cast<long>(random() % 4);
    Rows rows(count, std::vector<long>(dimension));
    for (auto& row : rows) {
      for (long& value : row) value = static_cast<long>(random() % 9) - 4 + shift;
    }
    const auto found = solve(rows);
    CHECK(found.squared_norm == by_subsets(rows));
    check_optimal(rows, found);
    zeros += found.squared_norm == 0 ? 1 : 0;
  }
  CHECK(zeros > 20);
  CHECK(zeros < 130);
}

TEST_CASE("points of very different lengths, the short ones first and last") {
  constexpr long kLong = 100000000;
  const std::vector<Rows> sets = {
      {{1, 1}, {3 * kLong, kLong}, {-2 * kLong, kLong}, {kLong, -4 * kLong}, {1, 2}},
      {{1, 1}, {3 * kLong, kLong}, {-2 * kLong, kLong}, {1, 2}},
      {{0, 1}, {kLong, 1}, {-kLong, 1}, {kLong, kLong}, {3, 1}},
      {{0, 0}, {kLong, 1}, {-kLong, 1}}};
  for (const Rows& rows : sets) {
    const auto found = solve(rows);
    CHECK(found.squared_norm == by_subsets(rows));
    check_optimal(rows, found);
  }
  CHECK(solve(sets[2]).squared_norm == 1);
}

TEST_CASE("the exact walk does not need a good start") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 60; ++round) {
    Rows rows(8, std::vector<long>(3));
    for (auto& row : rows) {
      for (long& value : row) value = static_cast<long>(random() % 7) - 2;
    }
    const RationalMatrix gram = gram_of(rows);
    const GramPoints<Rational> points(gram, all_of(rows.size()));
    // All points, affinely dependent; one point; points with useless weights; nothing.
    const Combination<double> starts[] = {{all_of(8), std::vector<double>(8, 1.0)},
                                          {{random() % 8}, {1.0}},
                                          {{3, 5}, {-1.0, 0.0}},
                                          {}};
    for (const auto& start : starts) {
      const auto found = measure::exact_min_norm_point(points, start, kManyBits);
      REQUIRE(found);
      CHECK(found->squared_norm == by_subsets(rows));
      check_optimal(rows, *found);
    }
    CHECK_FALSE(measure::exact_min_norm_point(points, starts[0], 3));
  }
}

TEST_CASE("rows of a Gram matrix chosen by number") {
  const RationalMatrix gram = gram_of({{1, 0}, {-1, 0}, {2, 3}, {2, -1}});
  const auto found =
      measure::exact_min_norm_point(GramPoints<Rational>(gram, {2, 3}), {{0}, {1.0}}, kManyBits);
  REQUIRE(found);
  CHECK(found->squared_norm == 4);
  CHECK(found->point.support == std::vector<std::size_t>{0, 1});
  CHECK(found->point.weights == whole({1, 3}));
}

TEST_CASE("a cross-polytope of implicit points") {
  // The nearest point is (c - 1/n)(1,..,1) while n c > 1, and 0 at n c = 1.
  constexpr std::size_t n = 300;
  for (const double c : {0.5, 0.01, 1.0 / n}) {
    const auto found = measure::min_norm_point(CrossPolytope(n, c));
    CHECK(found.converged);
    CHECK(found.squared_norm == Approx(n * (c - 1.0 / n) * (c - 1.0 / n)).margin(1e-12));
    // At n c = 1 zero is in the hull only just, and rounding may add a point.
    if (c > 1.0 / n) CHECK(found.point.support.size() == n);
    CHECK(std::accumulate(found.point.weights.begin(), found.point.weights.end(), 0.0) ==
          Approx(1));
  }
}

TEST_CASE("steps are limited") {
  measure::MinNormOptions options;
  options.max_steps = 5;
  const auto found = measure::min_norm_point(CrossPolytope(50, 0.5), options);
  CHECK_FALSE(found.converged);
  CHECK(found.steps == 5);
  CHECK(found.least_product < found.squared_norm);
}
