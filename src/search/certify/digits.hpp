// Significant digits of bounds that rules stack and layer-row state; rounded outward.
#pragma once

namespace sinkproof::certify {

inline constexpr unsigned kDigits = 9;

}  // namespace sinkproof::certify
