// The attention of a language model's heads on a sequence as another program, or `measure
// --save-attention`, computed it in doubles: estimates, which no certificate holds.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "npy/npy.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The weights in an array [layer, head, q, k], or of the first sequence in one [sequence, layer,
// head, q, k]: of each head a square of at most kMostSide stretches of positions, of each stretch
// the largest weight. SP2109: of another shape, over 2 GiB, more
// layers or heads than language/ reads, or a number in it is not finite.
inline constexpr std::size_t kMostSide = 64;
exact::Result<std::vector<HeadAttention>> read_attention(const npy::Float64View& weights,
                                                         const std::string& where);

// A map for each head, those that look alike drawn once, the first kMostMaps; "" for none.
inline constexpr std::size_t kMostMaps = 32;
std::string attention_section(const std::vector<HeadAttention>& heads);

}  // namespace sinkproof::report
