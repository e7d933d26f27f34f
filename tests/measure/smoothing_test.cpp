// Smoothing figures with answers known by hand, the formulas of sm-1 against enumeration, and the
// roots behind sm-2 (d).
#include "measure/smoothing.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "files.hpp"
#include "measure/real_roots.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using exact::make_rational;
using exact::Rational;
using measure::Smoothing;
using measure::SmoothingCase;

namespace {

using Rows = std::vector<std::vector<double>>;

// W = W_O with W_V the identity.
measure::ValueHead head_of(const Rows& matrix, const std::vector<double>& bias) {
  Rows identity(bias.size(), std::vector<double>(bias.size()));
  for (std::size_t i = 0; i < bias.size(); ++i) identity[i][i] = 1;
  return {
      "", 1, 0, test::dyadic_rows(identity), test::dyadic_rows(matrix), test::dyadic_rows({bias})};
}

// W = c I on rows (1, 0) and (-1, 0): B = diag(1, 0), s = beta c, t = c^2.
Smoothing scaled_identity(double c, const Rational& beta) {
  return measure::smoothing(head_of({{c, 0}, {0, c}}, {0, 0}), test::dyadic_rows({{1, 0}, {-1, 0}}),
                            beta);
}

double estimate(const Rational& value) { return rounded::to_double_estimate(value); }

double middle(const exact::Enclosure& enclosure) {
  return (estimate(enclosure.lower) + estimate(enclosure.upper)) / 2;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// beta x_i + sum_k a_ik (W x_k + c) with a_i = (1 - lam) delta_i + lam uniform.
std::vector<double> attended(const Rows& w, const std::vector<double>& c, double beta, double lam,
                             const Rows& x, std::size_t i) {
  std::vector<double> mixed(c.size());
  for (std::size_t k = 0; k <= i; ++k) {
    const double weight = lam / static_cast<double>(i + 1) + (k == i ? 1 - lam : 0);
    for (std::size_t j = 0; j < c.size(); ++j) mixed[j] += weight * x[k][j];
  }
  std::vector<double> out(c.size());
  for (std::size_t j = 0; j < c.size(); ++j) out[j] = beta * x[i][j] + dot(w[j], mixed) + c[j];
  return out;
}

const Rows kTokens = {{1, 0.5, 0}, {-1, 2, 0.25}, {0.5, 0.5, 1}, {2, -1, 0.5}};
const Rows kMap = {{0.5, -1, 0}, {0.25, 0.75, 1}, {-0.5, 0.125, -1}};
const std::vector<double> kBias = {0.25, 0, -0.5};

}  // namespace

TEST_CASE("the cases of sm-2 by hand") {
  const Rational one = 1;
  CHECK(scaled_identity(0.5, one).which() == SmoothingCase::kIncreases);
  CHECK(scaled_identity(-0.5, one).which() == SmoothingCase::kDecreases);
  CHECK(scaled_identity(-1, one).which() == SmoothingCase::kBalanced);
  CHECK(scaled_identity(0, one).which() == SmoothingCase::kNoSpread);
  CHECK(scaled_identity(-0.5, Rational(0)).which() == SmoothingCase::kIncreases);
  const Smoothing turns = scaled_identity(-2, one);
  CHECK(turns.which() == SmoothingCase::kTurns);
  CHECK(turns.s == -2);
  CHECK(turns.t == 4);
  CHECK(turns.spread == 1);
  CHECK(turns.mean_norm == 0);
  CHECK(measure::norm_turning_point(turns) == make_rational(1, 2));
  CHECK_FALSE(measure::norm_turning_point(scaled_identity(0.5, one)));
  CHECK(measure::in_words(turns).find("(d)") != std::string::npos);
  CHECK(measure::in_words(scaled_identity(-0.5, one)).find("(b)") != std::string::npos);
}

TEST_CASE("mean, covariance and bias enter as the page says") {
  // mu = (1, 0), deviations (+-1, 0); W = ((0, 0), (3, 0)); c = (2, 1).
  const auto figures = measure::smoothing(head_of({{0, 0}, {3, 0}}, {2, 1}),
                                          test::dyadic_rows({{2, 0}, {0, 0}}), make_rational(1, 3));
  CHECK(figures.s == 0);
  CHECK(figures.t == 9);
  CHECK(figures.spread == 1);
  // (1/3 + 0 + W_O c_0, 3 + W_O c_1) with W_O c = (0, 6).
  CHECK(figures.mean_norm == make_rational(1, 9) + 81);
  const auto& stated = std::get<certificate::Smoothing>(figures.property);
  CHECK(stated.t.lower == 9);
  CHECK(stated.t.upper == 9);
  CHECK(stated.beta == make_rational(1, 3));
}

TEST_CASE("sm-1's expectations, against all sequences of independent draws") {
  // A bias of the values is a bias of the outputs: W_O c in sm-1's N0, W_O = W here.
  const auto head = head_of(kMap, kBias);
  const double beta = 0.75;
  const auto figures =
      measure::smoothing(head, test::dyadic_rows(kTokens), rounded::from_double(beta));
  std::vector<double> constant(3);
  for (std::size_t j = 0; j < 3; ++j) constant[j] = dot(kMap[j], kBias);
  const std::size_t count = kTokens.size();
  for (const double lam : {0.0, 0.3, 1.0}) {
    double product = 0;
    double first = 0;
    double second = 0;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        const Rows x = {kTokens[a], kTokens[b]};
        const auto y1 = attended(kMap, constant, beta, lam, x, 0);
        const auto y2 = attended(kMap, constant, beta, lam, x, 1);
        product += dot(y1, y2);
        first += dot(y1, y1);
        second += dot(y2, y2);
      }
    }
    const auto predicted = measure::predicted_cosine(figures, rounded::from_double(lam), 2);
    REQUIRE(predicted);
    CHECK(predicted->lower <= predicted->upper);
    CHECK(predicted->upper - predicted->lower < exact::power_of_two(-50));
    CHECK(middle(*predicted) == Approx(product / std::sqrt(first * second)).epsilon(1e-12));
  }
}

TEST_CASE("the rows' own cosine at both ends") {
  const auto head = head_of(kMap, kBias);
  std::vector<double> constant(3);
  for (std::size_t j = 0; j < 3; ++j) constant[j] = dot(kMap[j], kBias);
  const Rows twice = {kTokens[0], kTokens[1], kTokens[2], kTokens[3], kTokens[1], kTokens[0]};
  for (const bool uniform : {false, true}) {
    double sum = 0;
    for (std::size_t begin = 0; begin < 6; begin += 3) {
      const Rows x(twice.begin() + static_cast<long>(begin),
                   twice.begin() + static_cast<long>(begin) + 3);
      for (std::size_t l = 1; l < 3; ++l) {
        for (std::size_t i = 0; i < l; ++i) {
          const auto a = attended(kMap, constant, 0.75, uniform ? 1 : 0, x, i);
          const auto b = attended(kMap, constant, 0.75, uniform ? 1 : 0, x, l);
          sum += dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
        }
      }
    }
    const auto measured =
        measure::attended_cosine(head, test::dyadic_rows(twice), make_rational(3, 4), uniform, 3);
    REQUIRE(measured.mean);
    CHECK(measured.pairs == 6);
    CHECK(middle(*measured.mean) == Approx(sum / 6).epsilon(1e-12));
  }
}

TEST_CASE("rows of zeros have no cosine") {
  const auto some = measure::average_cosine(test::dyadic_rows({{1, 0}, {0, 0}, {1, 0}}), 3);
  CHECK(some.pairs == 1);
  CHECK(some.skipped == 2);
  REQUIRE(some.mean);
  CHECK(some.mean->lower == 1);
  CHECK(some.mean->upper == 1);
  CHECK_FALSE(measure::average_cosine(test::dyadic_rows({{0, 0}, {0, 0}}), 2).mean);
  CHECK_FALSE(measure::average_cosine(test::dyadic_rows({{1, 0}, {1, 1}}), 1).mean);
}

TEST_CASE("roots are isolated, each once, the left end excluded") {
  using measure::Univariate;
  // (x - 1/3)(x - 1/2)^2 (x^2 + 1)
  const Univariate half = {make_rational(-1, 2), 1};
  const Univariate third = {make_rational(-1, 3), 1};
  const Univariate p =
      measure::product(measure::product(half, half), measure::product(third, Univariate{1, 0, 1}));
  const auto roots = measure::real_roots(p, 0, 1, exact::power_of_two(-30));
  REQUIRE(roots.size() == 2);
  CHECK(roots[0].lower <= make_rational(1, 3));
  CHECK(make_rational(1, 3) <= roots[0].upper);
  CHECK(roots[0].upper - roots[0].lower <= exact::power_of_two(-30));
  CHECK(roots[1].lower == make_rational(1, 2));
  CHECK(roots[1].upper == make_rational(1, 2));
  const Univariate ends = measure::product(Univariate{0, 1}, Univariate{-1, 1});
  CHECK(measure::real_roots(ends, 0, 1, 1).size() == 1);
  CHECK(measure::real_roots(ends, -1, 1, 1).size() == 2);
  CHECK(measure::real_roots(ends, 2, 3, 1).empty());
  CHECK(measure::real_roots(Univariate{1, 0}, 0, 1, 1).empty());
  CHECK(measure::real_roots(Univariate{-2, 0, 1}, 0, 2, make_rational(1, 1000)).size() == 1);
}

TEST_CASE("a later turning point of the cosine is where it falls") {
  // s = -7/4, t = 49/16, N0 large: norms grow again after lam = 1 + s/t = 3/7 and win.
  Smoothing figures = scaled_identity(-1.75, Rational(1));
  figures.mean_norm = 10;
  REQUIRE(measure::norm_turning_point(figures) == make_rational(3, 7));
  const auto roots = measure::cosine_turning_points(figures, 7, 8);
  REQUIRE(roots.size() == 1);
  CHECK(roots[0].lower > make_rational(3, 7));
  CHECK(roots[0].upper <= 1);
  CHECK(roots[0].upper - roots[0].lower <= exact::power_of_two(-40));
  // The expected cosine of positions 7 and 8, by sm-1's formula in doubles.
  const auto expected = [](double lam) {
    const auto norm = [lam](double theta) {
      return 10 + 1 - 3.5 * (1 - lam * theta) +
             49.0 / 16 * (1 - theta * (1 - (1 - lam) * (1 - lam)));
    };
    return (10 + lam / 8 * (49.0 / 16 - 1.75)) / std::sqrt(norm(6.0 / 7) * norm(7.0 / 8));
  };
  const double root = middle(roots[0]);
  CHECK(expected(root) > expected(root - 1e-3));
  CHECK(expected(root) > expected(root + 1e-3));
  CHECK(measure::cosine_turning_points(scaled_identity(0.5, Rational(1)), 7, 8).empty());
}
