#include "rounded/double.hpp"

#include <catch2/catch.hpp>

using namespace sinkproof::exact;
using namespace sinkproof::rounded;

TEST_CASE("from_double is exact for every kind of finite double") {
  CHECK(from_double(0.1) * power_of_two(55) == Rational(3602879701896397));
  CHECK(from_double(4.9406564584124654e-324) == power_of_two(-1074));
  CHECK(from_double(-0.0) == 0);
}
