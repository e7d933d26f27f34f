// Enclosures in fixed point against exact rationals: for points inside the arguments the exact
// result lies inside the result, and radii stay 0 where nothing is dropped.
#include "forward/ball.hpp"

#include <catch2/catch.hpp>
#include <random>

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
forward::Balls widened(std::mt19937_64& random, const RationalMatrix& values, std::uint64_t most) {
  forward::Balls balls = forward::balls(values, kBits);
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

bool inside(const Rational& value, const forward::Range& range) {
  const Rational scaled = value * exact::power_of_two(kBits);
  return Rational(range.lower) <= scaled && scaled <= Rational(range.upper);
}

// Some columns of all rows.
forward::Block columns(const forward::Balls& rows, std::size_t begin, std::size_t width) {
  return forward::block(rows, 0, rows.rows(), begin, width);
}

forward::WholeMap map_of(RationalMatrix weight, std::vector<Rational> bias) {
  return forward::whole_map({std::move(weight), std::move(bias)});
}

forward::Balls row_of(const std::vector<Integer>& centre, const Integer& radius) {
  forward::Balls row(1, centre.size());
  for (std::size_t c = 0; c < centre.size(); ++c) row.centre(0, c) = centre[c];
  row.radius[0] = radius;
  return row;
}

}  // namespace

TEST_CASE("a linear map's balls contain the images of points of its arguments") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    const RationalMatrix weight = random_matrix(random, 3, 4, true);
    const RationalMatrix bias = random_matrix(random, 3, 1, true);
    const RationalMatrix x = random_matrix(random, 5, 4, round % 2 == 0);
    const auto map = map_of(weight, {bias(0, 0), bias(1, 0), bias(2, 0)});
    const auto y = forward::apply(map, widened(random, x, round < 30 ? 1 : 1000000), 0, kBits);
    const RationalMatrix exact_y = x * exact::transpose(weight);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(inside(exact_y(i, j) + bias(j, 0), y.centre(i, j), y.radius[i]));
      }
    }
  }
}

TEST_CASE("a map is applied to the rows from the first one asked for, the others are 0") {
  std::mt19937_64 random(7);
  const RationalMatrix weight = random_matrix(random, 3, 4, true);
  const auto map = map_of(weight, {1, 2, 3});
  const auto x = widened(random, random_matrix(random, 5, 4, false), 1000);
  const auto all = forward::apply(map, x, 0, kBits);
  const auto last = forward::apply(map, x, 3, kBits);
  REQUIRE(last.rows() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(last.radius[i] == (i < 3 ? Integer(0) : all.radius[i]));
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(last.centre(i, j) == (i < 3 ? Integer(0) : all.centre(i, j)));
    }
  }
}

TEST_CASE("dyadic arguments that fit give points") {
  const RationalMatrix x(1, 2, {exact::make_rational(1, 4), -3});
  const RationalMatrix weight(1, 2, {exact::make_rational(5, 8), exact::make_rational(1, 1024)});
  const auto y = forward::apply(map_of(weight, {7}), forward::balls(x, kBits), 0, kBits);
  CHECK(y.radius[0] == 0);
  CHECK(Rational(y.centre(0, 0)) * exact::power_of_two(-40) ==
        exact::make_rational(5, 32) - exact::make_rational(3, 1024) + 7);
  // One more place than there are bits: not a point any more.
  const RationalMatrix tiny(1, 2, {exact::power_of_two(-41), 0});
  CHECK(forward::balls(tiny, kBits).radius[0] == 1);
  const auto small = forward::apply(map_of(tiny, {0}), forward::balls(x, kBits), 0, kBits);
  CHECK(inside(exact::power_of_two(-43), small.centre(0, 0), small.radius[0]));
  CHECK(small.radius[0] > 0);
}

TEST_CASE("what a shift drops of exact arguments goes into the radius") {
  const Rational unit = exact::power_of_two(-40);
  const auto exactly = forward::balls(RationalMatrix(1, 1, {unit}), kBits);
  REQUIRE(exactly.radius[0] == 0);
  const RationalMatrix weight(1, 1, {exact::make_rational(1, 2)});
  const auto half = forward::apply(map_of(weight, {0}), exactly, 0, kBits);
  CHECK(half.radius[0] == 1);
  CHECK(inside(unit / 2, half.centre(0, 0), half.radius[0]));
  const auto shifted =
      forward::apply(map_of(RationalMatrix(1, 1, {1}), {unit / 2}), exactly, 0, kBits);
  CHECK(shifted.radius[0] == 1);
  CHECK(inside(unit + unit / 2, shifted.centre(0, 0), shifted.radius[0]));
  const Integer half_weight = Integer(1) << 39;
  const forward::Range known{half_weight, half_weight};
  const auto row = forward::combination({known}, columns(exactly, 0, 1), kBits);
  CHECK(row.radius[0] == 1);
  CHECK(inside(unit / 2, row.centre(0, 0), row.radius[0]));
  const auto gated = forward::times(known, row_of({1}, 0), kBits);
  CHECK(gated.radius[0] == 1);
  CHECK(inside(unit / 2, gated.centre(0, 0), gated.radius[0]));
  // An odd sum of ends has no whole centre between them: the upper end is the further one.
  const auto uneven = forward::times({0, (Integer(1) << 40) + 1}, row_of({1 << 20}, 0), kBits);
  CHECK(inside((1 << 20) * (1 + unit) * unit, uneven.centre(0, 0), uneven.radius[0]));
  CHECK(inside(0, uneven.centre(0, 0), uneven.radius[0]));
  // Products of points that drop nothing are points.
  const auto whole = forward::balls(RationalMatrix(1, 1, {3}), kBits);
  const auto block = columns(whole, 0, 1);
  CHECK(forward::combination({known}, block, kBits).radius[0] == 0);
  const auto nine = forward::logit(block, 0, block, 0, 1, kBits);
  CHECK((nine.lower == Integer(9) << 40 && nine.upper == nine.lower));
  const auto third = forward::logit(block, 0, block, 0, exact::make_rational(1, 7), kBits);
  CHECK((third.upper == third.lower + 1 && inside(exact::make_rational(9, 7), third)));
}

TEST_CASE("logits, combinations and their products contain the exact ones") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 60; ++round) {
    const RationalMatrix a = random_matrix(random, 2, 6, false);
    const RationalMatrix b = random_matrix(random, 3, 6, false);
    const std::uint64_t most = round < 30 ? 1 : 100000000;
    const auto a_balls = widened(random, a, most);
    const auto b_balls = widened(random, b, most);
    const auto a_block = columns(a_balls, 2, 3);
    const auto b_block = columns(b_balls, 2, 3);
    const Rational scale = round % 3 == 0 ? Rational(1) : exact::abs(a(0, 0)) + 1;
    std::vector<forward::Range> weights;
    std::vector<Rational> exact_weights;
    for (std::size_t k = 0; k < 3; ++k) {
      weights.push_back(forward::logit(a_block, 1, b_block, k, scale, kBits));
      Rational sum = 0;
      for (std::size_t c = 2; c < 5; ++c) sum += a(1, c) * b(k, c);
      CHECK(inside(scale * sum, weights.back()));
      exact_weights.push_back(scale * sum);
    }
    const auto row = forward::combination(weights, b_block, kBits);
    const auto gated = forward::times(weights[0], row, kBits);
    for (std::size_t c = 0; c < 3; ++c) {
      Rational sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += exact_weights[k] * b(k, c + 2);
      CHECK(inside(sum, row.centre(0, c), row.radius[0]));
      CHECK(inside(sum * exact_weights[0], gated.centre(0, c), gated.radius[0]));
    }
  }
}

TEST_CASE("a number is small below 2^(2p), whichever number of a row it is") {
  const Integer edge = Integer(1) << (2 * kBits);
  const Integer below = edge - 1;
  CHECK(forward::is_small(Integer(0), kBits));
  CHECK((forward::is_small(below, kBits) && forward::is_small(Integer(-below), kBits)));
  CHECK_FALSE(forward::is_small(edge, kBits));
  CHECK_FALSE(forward::is_small(Integer(-edge), kBits));
  CHECK(forward::is_small(row_of({1, below}, below), kBits));
  CHECK_FALSE(forward::is_small(row_of({1, edge}, 0), kBits));
  CHECK_FALSE(forward::is_small(row_of({1, 1}, edge), kBits));
  forward::Balls rows(2, 2);
  CHECK(forward::is_small(rows, kBits));
  rows.radius[1] = edge;
  CHECK_FALSE(forward::is_small(rows, kBits));
  rows.radius[1] = 0;
  rows.centre(1, 0) = -edge;
  CHECK_FALSE(forward::is_small(rows, kBits));
}
