// Decimal text of exact numbers, rounded in a stated direction: what a person or a JSON reader sees
// of a bound. The form is that exact::parse_decimal reads.
#pragma once

#include <string>

#include "exact/rational.hpp"

namespace sinkproof::rounded {

// The largest (smallest) number of `digits` significant decimal digits that is <= (>=) value.
// Precondition: 1 <= digits <= 1000.
exact::Rational round_down_decimal(const exact::Rational& value, unsigned digits);
exact::Rational round_up_decimal(const exact::Rational& value, unsigned digits);

// Its text. A value that has that many digits is shown exactly.
std::string decimal_down(const exact::Rational& value, unsigned digits);
std::string decimal_up(const exact::Rational& value, unsigned digits);

}  // namespace sinkproof::rounded
