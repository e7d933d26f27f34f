// Rotary positions: the angles by which a head's coordinates turn. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <vector>

#include "language/config.hpp"
#include "language/rows.hpp"

namespace sinkproof::language {

// At each position, from 0: cosines and sines, times the scaling's factor. Throws TooCoarse where a
// comparison of the scaling's rule is not decided at this precision.
std::vector<Angles> rotary_angles(const Rotary& rotary, std::size_t positions, unsigned p);

}  // namespace sinkproof::language
