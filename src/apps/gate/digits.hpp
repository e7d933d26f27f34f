// Significant digits of the bounds in findings, each rounded outward.
#pragma once

namespace sinkproof::gate {

inline constexpr unsigned kDigits = 10;

}  // namespace sinkproof::gate
