#include "exact/interval.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace sinkproof::exact;

namespace {
Rational random_rational(std::mt19937_64& random) {
  const Integer p = static_cast<std::int64_t>(random()) >> 30;
  const Integer q = static_cast<std::int64_t>(random() >> 40) + 1;
  return make_rational(p, q);
}
Rational width(const Interval& interval) { return interval.upper() - interval.lower(); }
}  // namespace

TEST_CASE("interval arithmetic contains the exact result at two precisions and is tight") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    const Rational a = random_rational(random);
    const Rational b = random_rational(random);
    for (const unsigned precision : {64U, 256U}) {
      const Interval x(a, precision);
      const Interval y(b, precision);
      const Rational unit = power_of_two(3 - static_cast<long>(precision));
      CHECK((x + y).contains(a + b));
      CHECK((x - y).contains(a - b));
      CHECK((x * y).contains(a * b));
      CHECK((-x).contains(-a));
      CHECK(width(x * y) <= unit * abs(a * b) * 2);
      CHECK(width(x + y) <= unit * (abs(a) + abs(b)));
      if (b != 0) {
        CHECK((x / y).contains(a / b));
        CHECK(width(x / y) <= unit * abs(a / b) * 2);
      }
    }
  }
}

TEST_CASE("wide intervals contain the result for every choice of endpoints") {
  const Interval x(-2, 3, 64);
  const Interval y(-5, make_rational(1, 2), 64);
  for (const int a : {-2, 0, 3}) {
    for (const Rational& b : {Rational(-5), Rational(0), make_rational(1, 2)}) {
      CHECK((x * y).contains(a * b));
      CHECK((x - y).contains(a - b));
    }
  }
  CHECK_FALSE((x / y).is_bounded());
}

TEST_CASE("comparisons answer only when certain") {
  CHECK(certainly_less(Interval(1, 2, 64), Interval(3, 4, 64)));
  CHECK_FALSE(certainly_less(Interval(1, 3, 64), Interval(2, 4, 64)));
  CHECK_FALSE(certainly_less(Interval(2, 4, 64), Interval(1, 3, 64)));
  CHECK(overlap(Interval(1, 3, 64), Interval(2, 4, 64)));
  CHECK(hull(Interval(1, 2, 64), Interval(5, 6, 64)).contains(4));
}

TEST_CASE("softmax encloses a reference of far higher precision and sums to one, tightly") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<Interval> logits;
    std::vector<Interval> precise;
    for (int k = 0; k < 9; ++k) {
      const Rational value = make_rational(static_cast<std::int64_t>(random()) >> 40, 100000);
      logits.emplace_back(value, 80);
      precise.emplace_back(value, 500);
    }
    const auto weights = softmax(logits);
    const auto reference = softmax(precise);
    Interval sum(0, 80);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      CHECK(weights[k].lower() <= reference[k].lower());
      CHECK(reference[k].upper() <= weights[k].upper());
      CHECK(width(weights[k]) <= power_of_two(-60) * weights[k].upper());
      sum = sum + weights[k];
    }
    CHECK(sum.contains(1));
  }
}

TEST_CASE("softmax of logits a thousand apart neither overflows nor loses the small weight") {
  const auto weights = softmax({Interval(0, 128), Interval(-1000, 128)});
  CHECK(weights[1].lower() > 0);
  CHECK(weights[1].upper() < power_of_two(-1440));
  CHECK(weights[0].upper() <= 1);
}

TEST_CASE("fixed point goes in and comes out rounded outward, and without rounding where it fits") {
  const Interval third(make_rational(-1, 3), make_rational(1, 3), 64);
  CHECK(third.floor_at(8) == -86);  // -256/3 = -85.3
  CHECK(third.ceil_at(8) == 86);
  const Interval point = Interval::fixed_point(-5, 3, 2, 64);
  CHECK(point.lower() == make_rational(-5, 4));
  CHECK(point.upper() == make_rational(3, 4));
  CHECK((point.floor_at(2) == -5 && point.ceil_at(2) == 3));
  CHECK((point.floor_at(0) == -2 && point.ceil_at(0) == 1));
  // 2^100 + 1 does not fit into 64 bits.
  const Integer long_number = (Integer(1) << 100) + 1;
  const Interval rounded = Interval::fixed_point(long_number, long_number, 100, 64);
  CHECK(rounded.lower() == 1);
  CHECK(rounded.upper() == 1 + power_of_two(-63));
  // Ends that no Rational should be made of.
  const Interval tiny = exp(Interval(-power_of_two(40), 64));
  CHECK((tiny.floor_at(100) == 0 && tiny.ceil_at(100) == 1));
}

TEST_CASE("positive means above 0 throughout") {
  CHECK(Interval(power_of_two(-500), 1, 64).is_positive());
  CHECK_FALSE(Interval(0, 1, 64).is_positive());
  CHECK_FALSE(Interval(-1, 1, 64).is_positive());
  CHECK_FALSE(Interval(0, 64).is_positive());
}
