// Decimal text as exact numbers.
#pragma once

#include <string_view>

#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::exact {

Rational power_of_ten(long exponent);

// The exact value of decimal text of the form -?[0-9]+(\.[0-9]+)?(e-?[0-9]+)? (E and e+, too).
// SP0103 otherwise, or when the exponent is beyond +-1000.
Result<Rational> parse_decimal(std::string_view text);

}  // namespace sinkproof::exact
