// An exact input at which a bound is tried: one sequence of the trigger task (docs/THEORY.md,
// section 0) and what of it is looked at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "certificate/box.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certify {

struct Witness {
  std::size_t trigger = 0;                           // position j, from 1
  std::vector<std::vector<exact::Rational>> tokens;  // L tokens of n coordinates
  std::size_t row = 0;                               // position i, from 1
  std::size_t coordinate = 0;
  int sign = 1;  // the loss is sign * (out - target) there
};

// The sequence whose tokens 2 to `row` are those of unit tokens with this noise, position after
// position; the tokens the row does not see lie in the middle of the box. Precondition:
// noise.size() = (row - 1)(width - 3), all finite.
Witness witness_at(std::size_t width, const certificate::Box& box, std::size_t length,
                   std::size_t trigger, std::size_t row, std::span<const double> noise);

}  // namespace sinkproof::certify
