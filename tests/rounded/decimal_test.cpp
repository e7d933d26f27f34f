#include "rounded/decimal.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <regex>

#include "exact/decimal.hpp"

using namespace sinkproof::exact;
using namespace sinkproof::rounded;

TEST_CASE("decimal text is on the right side of the value, tight, and in the promised form") {
  std::mt19937_64 random(1);
  const std::regex form(R"(-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?)");
  for (int round = 0; round < 2000; ++round) {
    const Integer p = static_cast<std::int64_t>(random()) >> (random() % 63);
    const Integer q = static_cast<std::int64_t>((random() >> (1 + random() % 62)) + 1);
    const Rational value =
        make_rational(p, q) * power_of_two(static_cast<long>(random() % 200) - 100);
    const unsigned digits = 1 + static_cast<unsigned>(random() % 20);
    const auto down = parse_decimal(decimal_down(value, digits));
    const auto up = parse_decimal(decimal_up(value, digits));
    INFO(to_string(value) << " " << digits);
    CHECK(std::regex_match(decimal_down(value, digits), form));
    CHECK(std::regex_match(decimal_up(value, digits), form));
    REQUIRE(down.has_value());
    REQUIRE(up.has_value());
    CHECK(*down <= value);
    CHECK(value <= *up);
    // One unit in the last of `digits` places is at most 10^(1-digits) of the value.
    Rational unit = abs(value);
    for (unsigned i = 1; i < digits; ++i) unit /= 10;
    CHECK(*up - *down <= unit);
    CHECK(*down == round_down_decimal(value, digits));
    CHECK(*up == round_up_decimal(value, digits));
  }
}

TEST_CASE("decimal text of known values") {
  CHECK(decimal_up(0, 5) == "0");
  CHECK(decimal_up(make_rational(1, 3), 4) == "0.3334");
  CHECK(decimal_down(make_rational(-1, 3), 4) == "-0.3334");
  CHECK(decimal_down(make_rational(1, 8), 4) == "0.125");
  CHECK(decimal_up(1200, 4) == "1200");
  CHECK(decimal_up(power_of_two(100), 3) == "1.27e30");
  CHECK(decimal_down(power_of_two(-100), 3) == "7.88e-31");
  CHECK(decimal_up(make_rational(999999, 1000000), 3) == "1");
}
