// A map of a file's tensor times rows of balls: exact sums of products of whole numbers, where
// nearly all the time of a language model's pass goes. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>

#include "forward/ball.hpp"
#include "forward/each.hpp"
#include "language/model.hpp"

namespace sinkproof::language {

using forward::ForEach;
using forward::in_turn;

// Rows of x mapped. Precondition: x.columns() = map.in. Throws Rejected (SP0405) where a weight is
// no finite number.
forward::Balls apply(const Map& map, const forward::Balls& x, unsigned p, const ForEach& each);

// Only rows first .. first + count - 1 of the map.
forward::Balls apply(const Map& map, std::size_t first, std::size_t count, const forward::Balls& x,
                     unsigned p, const ForEach& each);

// An element of a tensor. Throws as `apply`.
forward::Range element(const safetensors::View& tensor, std::size_t index, unsigned p);

}  // namespace sinkproof::language
