#include "output/nearest_double.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "exact/exp_enclosure.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Rational;
using output::nearest_double;
using output::nearest_log;
using output::nearest_root;

TEST_CASE("Rationals become the nearest double, ties to even, at both ends of the range") {
  const auto power = exact::power_of_two;
  CHECK(nearest_double(0) == 0);
  CHECK(nearest_double(Rational(1) / 3) == 1.0 / 3);
  CHECK(nearest_double(Rational(-2) / 3) == -2.0 / 3);
  CHECK(nearest_double(1 + power(-53)) == 1);                // a tie
  CHECK(nearest_double(1 + 3 * power(-53)) == 1 + 0x1p-51);  // a tie
  CHECK(nearest_double(1 + power(-53) + power(-900)) == 1 + 0x1p-52);
  CHECK(nearest_double(power(-1074)) == 0x1p-1074);
  CHECK(nearest_double(power(-1075)) == 0);              // a tie
  CHECK(nearest_double(3 * power(-1075)) == 0x1p-1073);  // a tie
  CHECK(nearest_double(power(-1075) + power(-3000)) == 0x1p-1074);
  CHECK(nearest_double(power(1023)) == 0x1p1023);
  CHECK(std::isinf(nearest_double(power(1024))));
  CHECK(std::isinf(nearest_double(-power(60000))));
}

TEST_CASE("Logarithms: exp of the double and of its neighbours says which is nearest") {
  CHECK(nearest_log(1) == 0);
  CHECK(nearest_log(2) == 0x1.62e42fefa39efp-1);
  CHECK(nearest_log(Rational(1) / 2) == -0x1.62e42fefa39efp-1);
  CHECK(nearest_log(1 + exact::power_of_two(-200)) == 0x1p-200);
  CHECK(nearest_log(exact::power_of_two(-60000)) == -60000 * 0x1.62e42fefa39efp-1);
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const Rational k = Rational(1 + random() % 1000000) / Rational(1 + random() % 1000000);
    const double found = nearest_log(k);
    if (found == 0) continue;
    // Halfway to each neighbour, exp is on the other side of k.
    for (const double direction : {-HUGE_VAL, HUGE_VAL}) {
      const Rational middle =
          (rounded::from_double(found) + rounded::from_double(std::nextafter(found, direction))) /
          2;
      const auto exp = exact::exp_enclosure(middle, 200);
      REQUIRE(exp.has_value());
      CHECK((direction < 0 ? exp->upper < k : exp->lower > k));
    }
  }
}

TEST_CASE("A root becomes the nearest double: both sides of its half-way point are told apart") {
  CHECK(nearest_root(0) == 0);
  CHECK(nearest_root(Rational(1) / 9) == 1.0 / 3);
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    const double entry = std::ldexp(static_cast<double>(random() >> 11U), -60);
    const Rational square = rounded::from_double(entry) * rounded::from_double(entry) / 8;
    const double root = nearest_root(square);
    const Rational below =
        (rounded::from_double(std::nextafter(root, 0)) + rounded::from_double(root)) / 2;
    const Rational above =
        (rounded::from_double(std::nextafter(root, 1e9)) + rounded::from_double(root)) / 2;
    CHECK(below * below <= square);
    CHECK(square <= above * above);
  }
}
