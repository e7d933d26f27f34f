// The colours of attention weights: viridis (perceptually ordered, readable with every common
// colour-vision deficiency and in grey). Each weight has a place on two scales, of which the reader
// picks one for the whole page: one from 0, on which a sink is a bright column (linear, or a root
// where a row that matters would be dark otherwise), and a logarithmic one of six decades, which
// shows what the rest of a row does. A weight that is exactly 0 has a look of its own; a negative
// one has the colour of its magnitude and a bar across its cell.
#pragma once

#include <string>
#include <vector>

#include "report/chart/svg_text.hpp"

namespace sinkproof::report {

// From 0 to `largest`, and from 10^(top - kDecades) to 10^top.
struct ColourScale {
  double largest = 1;  // a round number
  int top = 0;         // the decade that holds it
  int root = 1;        // a weight's place from 0: (weight / largest)^(1 / root)
};

inline constexpr int kDecades = 6;
inline constexpr int kLevels = 36;
inline constexpr int kLargestRoot = 4;

// The scales that hold `largest`; never less than 1, so that softmax heads share them.
// Precondition: largest is finite.
ColourScale scale_for(double largest);

// The same with the least root on which `faintest`, the largest weight of a row that has to be
// seen, is not at the dark end; at most kLargestRoot. Precondition: faintest >= 0.
ColourScale scale_for(double largest, double faintest);

// The same, and as far down as weights are all smaller. Precondition: largest is finite, >= 0.
ColourScale tight_scale(double largest);

// 0 .. kLevels - 1, the nearest end for magnitudes off the scale. Precondition: magnitude > 0.
int linear_level(const ColourScale& scale, double magnitude);
int log_level(const ColourScale& scale, double magnitude);

// "#440154" at level 0 to "#fde725" at the last.
std::string level_colour(int level);

// The CSS classes of a weight's cell, those of its magnitude: "n0 g0" .. "n35 g35" for its place on
// the first and on the logarithmic scale, or "z" for 0.
std::string colour_class(const ColourScale& scale, double weight);

// The CSS rules of all classes but z: those from 0, and the logarithmic ones beneath .log.
std::string colour_rules();

// A bar across the square cell of the given size whose corner is (x, y): the sign of a negative
// weight. SVG path data of class "minus".
std::string minus_bar(int x, int y, int cell);

// A label, markup, beneath a colour bar at a share of its length.
struct BarTick {
  double place = 0;
  std::string label;
};

// A bar of all levels from dark to bright, with the looks of 0 and, where there are any, of
// negative numbers. `css`: classes beside "legend", each after a blank; " linear" and " log" are
// shown while that scale is on, else always. `root` is what ColourScale calls so.
struct ColourBar {
  std::string css;
  std::vector<BarTick> ticks;
  bool negative = false;
  SvgText text;
  int root = 1;
};
std::string colour_bar(const ColourBar& bar);

// "10" with its exponent raised: markup.
std::string power_of_ten_label(int exponent);

// The colour bars of both scales with their ticks, and the looks of 0 and, where the maps have
// them, of negative weights.
std::string legends(const ColourScale& scale, bool negative);

}  // namespace sinkproof::report
