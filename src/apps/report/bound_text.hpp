// Certified numbers in words: decimals of seven significant digits, rounded outward.
#pragma once

#include <string>

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::report {

std::string down(const exact::Rational& lower);
std::string up(const exact::Rational& upper);

// "[lower, upper]".
std::string interval_text(const exact::Enclosure& interval);

// Those of its first four digits that are certain, followed by "…" where there are more; a number
// known exactly that has no more digits, as it is; "[lower, upper]" of four digits, rounded
// outward, where not even two digits are certain. "0.172…" says: at least 0.172 and less than
// 0.173.
std::string certain_text(const exact::Enclosure& number);

// An estimate in double precision, of four digits: "≈ 0.172".
std::string estimate_text(const exact::Rational& number);

}  // namespace sinkproof::report
