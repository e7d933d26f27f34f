// Significant digits of the numbers that commands print; each is rounded outward.
#pragma once

namespace sinkproof::cli {

inline constexpr unsigned kDigits = 10;         // of bounds and of what attains them
inline constexpr unsigned kReadoutDigits = 12;  // of what is read off given inputs, in JSON
inline constexpr unsigned kShownDigits = 6;     // the same in text

}  // namespace sinkproof::cli
