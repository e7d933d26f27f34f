// Significant digits that a certificate states a bound with where it need not be exact; rounded
// outward.
#pragma once

namespace sinkproof::measure {

inline constexpr unsigned kDigits = 12;

}  // namespace sinkproof::measure
