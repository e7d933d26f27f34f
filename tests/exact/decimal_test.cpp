#include "exact/decimal.hpp"

#include <catch2/catch.hpp>

using namespace sinkproof::exact;

TEST_CASE("parse_decimal accepts decimals and nothing else") {
  CHECK(*parse_decimal("0.02") == make_rational(1, 50));
  CHECK(*parse_decimal("-2.50e-1") == make_rational(-1, 4));
  CHECK(*parse_decimal("1e3") == 1000);
  CHECK(*parse_decimal("000.5") == make_rational(1, 2));
  for (const char* text :
       {"", ".", "1.", ".5", "1/2", "nan", "inf", "0x1", "1e", "1e99999", "1e2000", " 1"}) {
    INFO(text);
    REQUIRE_FALSE(parse_decimal(text).has_value());
    CHECK(parse_decimal(text).error().code == "SP0103");
  }
}
