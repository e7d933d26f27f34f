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

}  // namespace sinkproof::report
