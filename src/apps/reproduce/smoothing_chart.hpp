// The figures of a smoothing run (smoothing.hpp), named after what they show. Each description says
// which figures of arXiv:2605.08453 show the same quantity.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduce/smoothing.hpp"

namespace sinkproof::reproduce {

// (name, SVG document): those of all measurements, then those of each, whose names end in "." and
// the measurement's file(). A chart of more groups than have a colour is continued in NAME-2.
std::vector<std::pair<std::string, std::string>> smoothing_charts(
    const std::vector<SmoothingMeasurement>& all);

// Heads whose uniformity (estimate/attention_shape.hpp) is above this are shown apart as well.
inline constexpr double kUniform = 0.6;

}  // namespace sinkproof::reproduce
