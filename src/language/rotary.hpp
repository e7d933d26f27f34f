// Rotary positions: the angles by which a head's coordinates turn. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "language/config.hpp"
#include "language/rows.hpp"

namespace sinkproof::language {

class Rotation {
 public:
  // Throws TooCoarse where a comparison of the scaling's rule is not decided at this precision.
  Rotation(const Rotary& rotary, unsigned p);

  // At a position, from 0: cosines and sines, times the scaling's factor.
  [[nodiscard]] Angles at(std::size_t position) const;

 private:
  unsigned p_;
  std::vector<forward::Range> frequencies_;  // in units of 2^-(p + 64)
  std::optional<forward::Range> factor_;
};

}  // namespace sinkproof::language
