#include "exact/rational.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sinkproof::exact;

TEST_CASE("parse_rational accepts canonical text and round-trips it") {
  for (const std::string text :
       {"0", "1", "-1", "7/3", "-22/7", "123456789012345678901234567890/11"}) {
    const auto value = parse_rational(text);
    REQUIRE(value.has_value());
    CHECK(to_string(*value) == text);
  }
}

TEST_CASE("parse_rational rejects everything that is not canonical") {
  for (const std::string text :
       {"",    "-",   "-0", "00", "01",    "+1",   "1/0", "2/4", "4/1", "1/01", "1/-2",
        "1.5", "1e3", " 1", "1 ", "1/2/3", "0x10", "0/5", "1/",  "/2",  "nan",  "--1"}) {
    const auto value = parse_rational(text);
    INFO(text);
    REQUIRE_FALSE(value.has_value());
    CHECK(value.error().code == "SP0101");
  }
  CHECK_FALSE(parse_rational(std::string(kMaxDigits + 1, '9')).has_value());
  CHECK(parse_rational(std::string(kMaxDigits, '9')).has_value());
}

TEST_CASE("floor, ceil and the grid roundings go the right way for both signs") {
  CHECK(floor(make_rational(-7, 2)) == -4);
  CHECK(ceil(make_rational(-7, 2)) == -3);
  CHECK(floor(Rational(3)) == 3);
  const Rational third = make_rational(1, 3);
  CHECK(round_down(third, 4) == make_rational(5, 16));
  CHECK(round_up(third, 4) == make_rational(6, 16));
  CHECK(round_down(-third, 4) == make_rational(-6, 16));
  CHECK(round_up(-third, 4) == make_rational(-5, 16));
  CHECK(round_up(make_rational(3, 16), 4) == make_rational(3, 16));
}
