// Enclosures in fixed point against exact rationals: for points inside the arguments the exact
// result lies inside the result, and radii stay 0 where nothing is dropped.
#include "measure/ball_matrix.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "measure/attention_weights.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

namespace {

constexpr unsigned kBits = 40;

Rational random_rational(std::mt19937_64& random, bool dyadic) {
  const auto p = static_cast<std::int64_t>(random() % 2000001) - 1000000;
  const std::int64_t q =
      dyadic ? std::int64_t{1} << (random() % 20) : static_cast<std::int64_t>(random() % 99991) + 1;
  return exact::make_rational(p, q);
}

RationalMatrix random_matrix(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                             bool dyadic) {
  RationalMatrix result(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result(i, j) = random_rational(random, dyadic);
  }
  return result;
}

// Balls that hold `values` at their very edge, but for rounding: radii up to `most`.
measure::BallMatrix widened(std::mt19937_64& random, const RationalMatrix& values,
                            std::uint64_t most) {
  measure::BallMatrix balls = measure::ball_matrix(values, kBits);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const auto by = static_cast<std::int64_t>(random() % most);
    balls.radius[i] += by;
    for (std::size_t j = 0; j < values.columns(); ++j) {
      balls.centre(i, j) += random() % 2 == 0 ? by : -by;
    }
  }
  return balls;
}

bool inside(const Rational& value, const Integer& centre, const Integer& radius) {
  return exact::abs(value * exact::power_of_two(kBits) - Rational(centre)) <= Rational(radius);
}

bool inside(const Rational& value, const measure::Bounds& bounds) {
  const Rational scaled = value * exact::power_of_two(kBits);
  return Rational(bounds.lower) <= scaled && scaled <= Rational(bounds.upper);
}

}  // namespace

TEST_CASE("a linear map's balls contain the images of points of its arguments") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    const bool dyadic = round % 2 == 0;
    const RationalMatrix weight = random_matrix(random, 3, 4, dyadic);
    const RationalMatrix bias = random_matrix(random, 3, 1, dyadic);
    const RationalMatrix x = random_matrix(random, 5, 4, false);
    const auto map = measure::ball_map(weight, {bias(0, 0), bias(1, 0), bias(2, 0)}, kBits);
    CHECK((map.weight_error == 0) == dyadic);
    const auto y = measure::apply(map, widened(random, x, round < 30 ? 1 : 1000000));
    const RationalMatrix exact_y = x * exact::transpose(weight);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(inside(exact_y(i, j) + bias(j, 0), y.centre(i, j), y.radius[i]));
      }
    }
  }
}

TEST_CASE("dyadic arguments that fit give points") {
  const RationalMatrix x(1, 2, {exact::make_rational(1, 4), -3});
  const RationalMatrix weight(1, 2, {exact::make_rational(5, 8), exact::make_rational(1, 1024)});
  const auto y =
      measure::apply(measure::ball_map(weight, {7}, kBits), measure::ball_matrix(x, kBits));
  CHECK(y.radius[0] == 0);
  CHECK(Rational(y.centre(0, 0)) * exact::power_of_two(-40) ==
        exact::make_rational(5, 32) - exact::make_rational(3, 1024) + 7);
  // One more place than there are bits: not a point any more.
  const RationalMatrix tiny(1, 2, {exact::power_of_two(-41), 0});
  CHECK(measure::ball_matrix(tiny, kBits).radius[0] == 1);
  const auto small =
      measure::apply(measure::ball_map(tiny, {}, kBits), measure::ball_matrix(x, kBits));
  CHECK(inside(exact::power_of_two(-43), small.centre(0, 0), small.radius[0]));
  CHECK(small.radius[0] > 0);
}

TEST_CASE("what a shift drops of exact arguments goes into the radius") {
  const Rational unit = exact::power_of_two(-40);
  const RationalMatrix one_unit(1, 1, {unit});
  const auto exactly = measure::ball_matrix(one_unit, kBits);
  REQUIRE(exactly.radius[0] == 0);
  const RationalMatrix weight(1, 1, {exact::make_rational(1, 2)});
  const auto half = measure::apply(measure::ball_map(weight, {}, kBits), exactly);
  CHECK(half.radius[0] == 1);
  CHECK(inside(unit / 2, half.centre(0, 0), half.radius[0]));
  const auto third = measure::apply(
      measure::ball_map(RationalMatrix(1, 1, {1}), {exact::make_rational(1, 3)}, kBits), exactly);
  CHECK(third.radius[0] == 1);
  CHECK(inside(unit + exact::make_rational(1, 3), third.centre(0, 0), third.radius[0]));
  const Integer half_weight = Integer(1) << 39;
  const measure::Bounds known{half_weight, half_weight};
  const auto row = measure::combination({known}, measure::block(exactly, 0, 1), kBits);
  CHECK(row.radius == 1);
  CHECK(inside(unit / 2, row.centre[0], row.radius));
  const auto gated = measure::scaled({{1}, 0}, known, kBits);
  CHECK(gated.radius == 1);
  CHECK(inside(unit / 2, gated.centre[0], gated.radius));
  // An odd sum of ends has no whole centre between them: the upper end is the further one.
  const auto uneven = measure::scaled({{1 << 20}, 0}, {0, (Integer(1) << 40) + 1}, kBits);
  CHECK(inside((1 << 20) * (1 + unit) * unit, uneven.centre[0], uneven.radius));
  CHECK(inside(0, uneven.centre[0], uneven.radius));
}

TEST_CASE("inner products, combinations and scaled rows contain the exact ones") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 60; ++round) {
    const RationalMatrix a = random_matrix(random, 2, 6, false);
    const RationalMatrix b = random_matrix(random, 3, 6, false);
    const std::uint64_t most = round < 30 ? 1 : 100000000;
    const auto a_balls = widened(random, a, most);
    const auto b_balls = widened(random, b, most);
    const auto a_block = measure::block(a_balls, 2, 3);
    const auto b_block = measure::block(b_balls, 2, 3);
    std::vector<measure::Bounds> weights;
    std::vector<Rational> exact_weights;
    for (std::size_t k = 0; k < 3; ++k) {
      weights.push_back(measure::inner_product(a_block, 1, b_block, k, kBits));
      Rational sum = 0;
      for (std::size_t c = 2; c < 5; ++c) sum += a(1, c) * b(k, c);
      CHECK(inside(sum, weights.back()));
      exact_weights.push_back(sum);
    }
    const auto row = measure::combination(weights, b_block, kBits);
    const auto gated = measure::scaled(row, weights[0], kBits);
    for (std::size_t c = 0; c < 3; ++c) {
      Rational sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += exact_weights[k] * b(k, c + 2);
      CHECK(inside(sum, row.centre[c], row.radius));
      CHECK(inside(sum * exact_weights[0], gated.centre[c], gated.radius));
    }
  }
}

TEST_CASE("kernels and their sums contain what exp gives, between points of a wide logit") {
  const auto at = [](double x) {
    return exact::floor(exact::from_double(x) * exact::power_of_two(kBits));
  };
  const double low = -1.25;
  const double high = 0.75;
  const auto near = [](const measure::Bounds& bounds, double lower, double upper) {
    const double ulp = 1e-9;  // 2^-40 and the error of a double
    return std::abs(std::ldexp(bounds.lower.convert_to<double>(), -40) - lower) < ulp &&
           std::abs(std::ldexp(bounds.upper.convert_to<double>(), -40) - upper) < ulp;
  };
  const auto one_key = [&](model::Attention attention, double from, double to) {
    std::vector<measure::Bounds> row = {{at(from), at(to)}};
    CHECK(measure::to_weights(attention, row, kBits));
    return row[0];
  };
  const auto elu1 = [](double x) { return x < 0 ? std::exp(x) : x + 1; };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  using model::Attention;
  CHECK(near(one_key(Attention::kElu1, low, high), elu1(low), elu1(high)));
  CHECK(near(one_key(Attention::kElu1, 2, 3), 3, 4));
  CHECK(near(one_key(Attention::kElu1, -3, -2), std::exp(-3), std::exp(-2)));
  CHECK(near(one_key(Attention::kSigmoid, low, high), sigmoid(low), sigmoid(high)));
  CHECK(near(one_key(Attention::kRelu, low, high), 0, high));
  CHECK(near(one_key(Attention::kLinear, low, high), low, high));
  CHECK(near(one_key(Attention::kSoftmaxNull, 2, 2), sigmoid(2), sigmoid(2)));
  CHECK(near(one_key(Attention::kSoftmaxNull, -2, -2), sigmoid(-2), sigmoid(-2)));
  CHECK(near(measure::logistic({at(low), at(high)}, kBits), sigmoid(low), sigmoid(high)));
  for (const auto attention : {Attention::kSoftmax, Attention::kSoftmaxGated,
                               Attention::kSigmoidNormalised, Attention::kElu1Normalised}) {
    std::vector<measure::Bounds> row = {{at(1), at(1)}, {at(low), at(low)}};
    REQUIRE(measure::to_weights(attention, row, kBits));
    const auto kernel = [&](double x) {
      return attention == Attention::kSigmoidNormalised ? sigmoid(x)
             : attention == Attention::kElu1Normalised  ? elu1(x)
                                                        : std::exp(x);
    };
    const double weight = kernel(low) / (kernel(1) + kernel(low));
    CHECK(near(row[0], 1 - weight, 1 - weight));
    CHECK(near(row[1], weight, weight));
  }
}
