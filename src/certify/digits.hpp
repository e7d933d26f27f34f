// Significant digits of a bound that a rule is asked for only so far; rounded outward.
#pragma once

namespace sinkproof::certify {

inline constexpr unsigned kDigits = 9;

}  // namespace sinkproof::certify
