// Attention matrices side by side as one SVG document that needs no page around it: a panel per
// matrix, causal, the sink column (BOS, key 1) and the trigger's row and column outlined, and one
// colour bar for all. Doubles: estimates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/chart/colour_scale.hpp"
#include "report/chart/svg_text.hpp"

namespace sinkproof::report {

// Row i of `weights` (from 0) has the i + 1 weights on its keys, each finite and >= 0.
struct Panel {
  std::string name;
  std::vector<std::vector<double>> weights;
};

enum class Colours { kLinear, kLogarithmic };

struct AttentionFigure {
  SvgText text;
  std::size_t trigger = 1;  // its position, from 1; 0: none, and key 1 need not be BOS
  std::size_t across = 1;   // panels in a row
  std::vector<Panel> panels;
  std::string quantity;  // what the colour bar measures, as text
  ColourScale scale;     // of all panels
  Colours colours = Colours::kLinear;
};

// Precondition: there are panels, all of one size, trigger <= that size, across >= 1.
std::string attention_figure(const AttentionFigure& figure);

// The least tight_scale() that holds all weights. Precondition: as above.
ColourScale scale_of(const std::vector<Panel>& panels);

}  // namespace sinkproof::report
