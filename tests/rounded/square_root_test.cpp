#include "rounded/square_root.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace sinkproof::exact;
using namespace sinkproof::rounded;

TEST_CASE("A square root lies between its bounds, which are close") {
  const std::vector<Rational> values = {2,
                                        make_rational(1, 3),
                                        make_rational(10007, 4),
                                        power_of_two(-2001),
                                        power_of_two(3001) + 1,
                                        Rational(Integer("123456789123456789123456789"))};
  for (const Rational& value : values) {
    const Enclosure root = square_root(value);
    INFO(to_string(value));
    CHECK(root.lower * root.lower < value);
    CHECK(root.upper * root.upper > value);
    CHECK(root.lower > 0);
    CHECK(root.upper - root.lower <= root.lower * power_of_two(-60));
  }
}

TEST_CASE("A rational root is exact, however long") {
  const Rational root = make_rational(Integer("1234567890123456789012345678901"), 1024);
  for (const Rational& value : {Rational(0), Rational(1), make_rational(9, 16), root}) {
    const Enclosure enclosure = square_root(value * value);
    CHECK(enclosure.lower == value);
    CHECK(enclosure.upper == value);
  }
}

TEST_CASE("The root of an enclosure holds the roots of its ends") {
  const Enclosure root = square_root(Enclosure{Rational(4), Rational(5)});
  CHECK(root.lower == 2);
  CHECK(root.upper * root.upper >= 5);
  CHECK(root.upper == square_root(Rational(5)).upper);
}
