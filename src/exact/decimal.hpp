// Decimal text of exact numbers, rounded in a stated direction: what a person or a JSON reader sees
// of a bound. The form is -?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?.
#pragma once

#include <string>
#include <string_view>

#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::exact {

// The largest (smallest) number of `digits` significant decimal digits that is <= (>=) value.
// Precondition: 1 <= digits <= 1000.
Rational round_down_decimal(const Rational& value, unsigned digits);
Rational round_up_decimal(const Rational& value, unsigned digits);

// Its text. A value that has that many digits is shown exactly.
std::string decimal_down(const Rational& value, unsigned digits);
std::string decimal_up(const Rational& value, unsigned digits);

// The exact value of decimal text of the form above (a threshold on a command line). SP0103
// otherwise, or when the exponent is beyond +-1000.
Result<Rational> parse_decimal(std::string_view text);

}  // namespace sinkproof::exact
