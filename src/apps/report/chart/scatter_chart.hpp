// Points of several groups in a plane as one SVG document that needs no page around it, on linear
// or logarithmic axes, with lines to compare them with. Doubles: estimates.
#pragma once

#include <string>
#include <vector>

#include "report/chart/svg_text.hpp"

namespace sinkproof::report {

struct ScatterPoint {
  double x = 0;  // finite; on a logarithmic axis > 0
  double y = 0;
  bool filled = true;
};

// Each has a colour and a shape of its own: up to 8 groups.
struct ScatterGroup {
  std::string name;
  std::vector<ScatterPoint> points;
  bool joined = false;  // by a thin line in the order of the points
};

// Drawn dashed through its points, as far as the plane goes.
struct ScatterLine {
  std::string name;
  std::vector<ScatterPoint> points;
};

struct ScatterAxis {
  std::string label;
  bool logarithmic = false;
  bool whole = false;  // ticks are whole numbers
};

struct ScatterChart {
  SvgText text;
  ScatterAxis x;
  ScatterAxis y;
  std::vector<ScatterGroup> groups;  // they decide what the axes hold
  std::vector<ScatterLine> lines;
};

// Precondition: there is a point.
std::string scatter_chart(const ScatterChart& chart);

}  // namespace sinkproof::report
