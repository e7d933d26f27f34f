// The attention of a language model's heads on a sequence as another program, or `measure
// --save-attention`, computed it in doubles: estimates, which no certificate holds.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "npy/npy.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The weights in an array [layer, head, q, k] or [sequence, layer, head, q, k], of the first
// sequence and of more while these are at most kMostRead heads: of each head a square of at most
// kMostSide stretches of positions, of each stretch the largest weight. SP2109: of another shape,
// over 2 GiB, more layers or heads than language/ reads, or a number in it is not finite.
inline constexpr std::size_t kMostSide = 64;
inline constexpr std::size_t kMostRead = 1024;
exact::Result<std::vector<HeadAttention>> read_attention(const npy::Float64View& weights,
                                                         const std::string& where);

// A map for each head of each sequence, by layer, those of a sequence that look alike drawn once,
// as many as have kMostCells together; "" for none. The page's script picks among them. `texts`
// labels rows and columns: of each sequence its tokens, or nothing where they are not known.
inline constexpr std::size_t kMostCells = 200'000;
std::string attention_section(const std::vector<HeadAttention>& heads,
                              const std::vector<std::vector<std::string>>& texts);

}  // namespace sinkproof::report
