#include "certify/sign_form.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "certify/point.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;

namespace {

SignForm random_form(std::mt19937_64& random, std::size_t d, std::size_t terms) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  SignForm form(d);
  form.constant = uniform(random);
  for (double& a : form.linear) a = uniform(random);
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t l = k + 1; l < d; ++l) form.cross_at(k, l) = uniform(random);
  }
  for (std::size_t i = 0; i < terms; ++i) {
    std::vector<double> row(d);
    for (double& b : row) b = uniform(random);
    form.add_absolute(uniform(random), row);
  }
  return form;
}

double value_at(const SignForm& form, const std::vector<double>& u) {
  const std::size_t d = form.dimension();
  double total = form.constant;
  for (std::size_t k = 0; k < d; ++k) {
    total += form.linear[k] * u[k];
    for (std::size_t l = k + 1; l < d; ++l) total += form.cross[k * d + l] * u[k] * u[l];
  }
  for (std::size_t i = 0; i < form.offset.size(); ++i) {
    double inside = form.offset[i];
    for (std::size_t k = 0; k < d; ++k) inside += form.rows[i * d + k] * u[k];
    total += std::fabs(inside);
  }
  return total;
}

double brute_force_maximum(const SignForm& form) {
  const std::size_t d = form.dimension();
  double best = -HUGE_VAL;
  for (std::size_t bits = 0; bits < (std::size_t{1} << d); ++bits) {
    std::vector<double> u(d);
    for (std::size_t k = 0; k < d; ++k) u[k] = ((bits >> k) & 1U) != 0 ? 1 : -1;
    best = std::max(best, value_at(form, u));
  }
  return best;
}

}  // namespace

TEST_CASE("maximise bounds the maximum over all vertices from above, within its own slack") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t d = 1 + random() % 8;
    const SignForm form = random_form(random, d, random() % 12);
    const auto order = influence_order(std::span(&form, 1));
    const double truth = brute_force_maximum(form);
    const Maximum maximum = maximise(form, order, 0, 100000);
    CHECK(maximum.value >= truth - 1e-9);
    CHECK(maximum.value <= truth + 0.2 * (std::fabs(truth) + 10));
    CHECK(value_at(form, maximum.vertex) == Approx(truth));
    // Interior points are never above it.
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int point = 0; point < 50; ++point) {
      std::vector<double> u(d);
      for (double& x : u) x = uniform(random);
      CHECK(value_at(form, u) <= truth + 1e-9);
    }
  }
}

TEST_CASE("a tree is found exactly when the threshold is at or above the maximum") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const SignForm form = random_form(random, 1 + random() % 7, random() % 9);
    const auto order = influence_order(std::span(&form, 1));
    const double truth = brute_force_maximum(form);
    const auto search = [&](double threshold) {
      const LeafTest passes = [&](std::span<const double> bounds) {
        return bounds[0] <= threshold;
      };
      return search_tree(std::span(&form, 1), order, passes, 100000);
    };
    const TreeSearch above = search(truth + 1e-9);
    REQUIRE(above.complete);
    const auto splits = std::count(above.tree.begin(), above.tree.end(), '1');
    CHECK(static_cast<std::size_t>(2 * splits + 1) == above.tree.size());
    CHECK_FALSE(search(truth - 1e-9).complete);
  }
}

TEST_CASE("a search that runs out of nodes says so") {
  std::mt19937_64 random(3);
  const SignForm form = random_form(random, 8, 10);
  const auto order = influence_order(std::span(&form, 1));
  const LeafTest never = [](std::span<const double>) { return false; };
  CHECK_FALSE(search_tree(std::span(&form, 1), order, never, 5).complete);
}

TEST_CASE("a point's bound is above every vertex, and the best point's below the one of no point") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double best = 0;
  double none = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t d = 2 + random() % 7;
    exact::Matrix<double> logit(d + 3, d + 3);
    for (std::size_t k = 0; k < d + 3; ++k) {
      for (std::size_t l = 0; l < d + 3; ++l) logit(k, l) = uniform(random);
    }
    const Coupling coupling(logit);
    REQUIRE(coupling.multipliers() != nullptr);
    SignForm form(d);
    form.coupling = &coupling;
    form.own = uniform(random);
    for (double& a : form.linear) a = uniform(random);
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = k + 1; l < d; ++l) form.cross_at(k, l) = form.own * coupling.own(k)[l];
    }
    for (std::size_t l = 0; l < d; ++l) {
      const double scale = uniform(random);
      std::vector<double> row(d);
      for (std::size_t k = 0; k < d; ++k) row[k] = scale * coupling.noise(k, l);
      form.add_absolute(uniform(random), row, l, scale);
    }
    const double truth = brute_force_maximum(form);
    const PointForm at(form);
    const Point point = at.best_point();
    CHECK(at.bound_at(point).value >= truth - 1e-9);
    best += at.bound_at(point).value - truth;
    none += at.bound_at({}).value - truth;
    // Where a point suffices no tree is needed, and it is kept for the next form.
    Budget budget = 1;
    budget.labels = std::make_shared<std::vector<Label>>();
    const double threshold = at.bound_at(point).value + 1e-9;
    const LeafTest passes = [&](std::span<const double> bounds) { return bounds[0] <= threshold; };
    const auto order = influence_order(std::span(&form, 1));
    const TreeSearch search = search_tree(std::span(&form, 1), order, passes, budget);
    CHECK(search.complete);
    CHECK((search.tree == "0" || search.tree.starts_with('[')));
    if (search.tree != "0") CHECK(points_of(budget.labels->back()) == std::vector<Point>{point});
  }
  CHECK(best < 0.9 * none);
}
