#include "certify/proof.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace sinkproof;
using certify::stated_above;
using certify::stated_below;
using exact::make_rational;
using exact::Rational;

namespace {

Rational power_of_ten(unsigned exponent) {
  return Rational(boost::multiprecision::pow(exact::Integer(10), exponent));
}

}  // namespace

TEST_CASE("stated numbers are rounded outward to decimal places and significant digits") {
  CHECK(stated_below(make_rational(1, 3), 2) == make_rational(33, 100));
  CHECK(stated_above(make_rational(1, 3), 2) == make_rational(34, 100));
  CHECK(stated_below(make_rational(-1, 3), 2) == make_rational(-34, 100));
  CHECK(stated_above(make_rational(-1, 3), 2) == make_rational(-33, 100));
  CHECK(stated_below(1234, 2) == 1200);
  CHECK(stated_above(1234, 2) == 1300);
  CHECK(stated_below(-1234, 2) == -1300);
  // Smaller than the last place.
  CHECK(stated_below(1 / power_of_ten(2000), 900) == 0);
  CHECK(stated_above(1 / power_of_ten(2000), 900) == 1 / power_of_ten(900));
  CHECK(stated_below(-1 / power_of_ten(2000), 900) == -1 / power_of_ten(900));
  CHECK(stated_above(-1 / power_of_ten(2000), 900) == 0);
  CHECK(stated_below(0, 900) == 0);
}

TEST_CASE("what is short enough is stated exactly, anything else in 2000 characters") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const Rational dyadic = Rational(static_cast<std::int64_t>(random())) *
                            exact::power_of_two(static_cast<long>(random() % 1600) - 800);
    CHECK(stated_below(dyadic, 900) == dyadic);
    CHECK(stated_above(dyadic, 900) == dyadic);
    const Rational long_one = dyadic / 3 * exact::power_of_two(-static_cast<long>(random() % 9000));
    const Rational below = stated_below(long_one, 900);
    const Rational above = stated_above(long_one, 900);
    CHECK(below <= long_one);
    CHECK(long_one <= above);
    CHECK((above - below) * power_of_ten(900) <= exact::max(1, 10 * exact::abs(long_one)));
    CHECK(exact::to_string(below).size() <= 2000);
    CHECK(exact::to_string(above).size() <= 2000);
  }
}

TEST_CASE("The least number that holds is found near both ends of the doubles") {
  const auto found = [](double number, double least, double most) {
    int asked = 0;
    return certify::least_above(number, most, [&](double value) {
      if (++asked > 1000) throw std::runtime_error("asks for ever");
      return value >= least;
    });
  };
  for (const double number : {1e-300, 1e-168, 1.0, 1e168, 1e300}) {
    for (const double factor : {1.01, 3.0, 1e6}) {
      const double least = factor * number;
      for (const double most : {1e7 * number, HUGE_VAL}) {
        const double value = found(number, least, most);
        CHECK(value >= least);
        CHECK(value <= 1.001 * least);
      }
      CHECK(std::isinf(found(number, least, number + (least - number) / 2)));
    }
  }
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  CHECK(found(kTiny, 3 * kTiny, 1) == 3 * kTiny);
  CHECK(std::isinf(found(1e308, HUGE_VAL, HUGE_VAL)));
  CHECK(std::isinf(found(0, 1, HUGE_VAL)));
}
