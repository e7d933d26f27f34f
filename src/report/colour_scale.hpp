// The colours of attention weights: viridis (perceptually ordered, readable with every common
// colour-vision deficiency and in grey) over a logarithmic scale of six decades. A weight that is
// exactly 0 has no place on such a scale and a look of its own; a negative one has the colour of
// its magnitude and a bar across its cell.
#pragma once

#include <string>

namespace sinkproof::report {

// A scale from 10^(top - kDecades) to 10^top.
struct ColourScale {
  int top = 0;
};

inline constexpr int kDecades = 6;
inline constexpr int kLevels = 36;

// The scale whose top decade holds `largest`; never below 10^0, so that softmax heads share one.
// Precondition: largest is finite.
ColourScale scale_for(double largest);

// 0 .. kLevels - 1, the nearest end for magnitudes off the scale. Precondition: magnitude > 0.
int level(const ColourScale& scale, double magnitude);

// The CSS class of a weight's cell, that of its magnitude: "c0" .. "c35", or "z" for 0.
std::string colour_class(const ColourScale& scale, double weight);

// The CSS rules of all classes but z.
std::string colour_rules();

// A bar across the square cell of the given size whose corner is (x, y): the sign of a negative
// weight. SVG path data of class "minus".
std::string minus_bar(int x, int y, int cell);

// The legend as an SVG: the scale with its decades, and the looks of 0 and, where the maps have
// them, of negative weights.
std::string legend(const ColourScale& scale, bool negative);

}  // namespace sinkproof::report
