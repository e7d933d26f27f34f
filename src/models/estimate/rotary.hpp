// Rotary positions in doubles, as Hugging Face's models have them: coordinates c and c + n/2 of the
// first n of a head are turned by position * frequency c.
#pragma once

#include <cstddef>
#include <vector>

#include "estimate/rows.hpp"
#include "language/config.hpp"

namespace sinkproof::estimate {

// n/2 frequencies, after scaling: none, linear, llama3 or yarn.
std::vector<double> rotary_frequencies(const language::Rotary& rotary);

// What cosines and sines are multiplied by: 1 but for yarn.
double rotary_factor(const language::Rotary& rotary);

// Cosines and sines of positions 0 .. count - 1, times rotary_factor, both [count, n/2].
struct RotaryTable {
  Matrix cosine, sine;
};
RotaryTable rotary_table(const language::Rotary& rotary, std::size_t count);

// Turns each of a row's heads, `width` doubles each. Precondition: the position is in the table.
void rotate(const RotaryTable& table, std::size_t position, std::size_t heads, std::size_t width,
            double* row);

}  // namespace sinkproof::estimate
