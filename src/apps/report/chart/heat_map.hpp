// An attention matrix as an SVG grid: a row per query, a column per key, causal (nothing above the
// diagonal). The sink column (BOS, position 1), the trigger's row and column and the witness's row
// are marked, and named in the text alternative.
#pragma once

#include <string>
#include <vector>

#include "report/attention_map.hpp"
#include "report/chart/colour_scale.hpp"

namespace sinkproof::report {

// Up to this many positions each cell may carry its own hover title; above, each row does, which
// keeps the page light.
inline constexpr std::size_t kCellTitles = 64;

// A map by the name of the property whose witness it shows, with the head where there are several,
// not escaped.
struct NamedMap {
  std::string name;
  AttentionMap map;
};

enum class Titles { kCells, kRows };

// A <figure>; the page's script (page.js) makes its drawing something to enlarge and to read cell
// by cell, from the data- attributes of the drawing. `titles` is kRows in any case above
// kCellTitles positions. `alike` are maps that look the same and are not drawn: the caption names
// them, and an arrow is at each one's witness row.
std::string heat_map(const AttentionMap& map, const ColourScale& scale, const std::string& name,
                     Titles titles = Titles::kCells, const std::vector<NamedMap>& alike = {});

// The colours by which all these maps can be read: the row at the trigger, which does the work of
// the task, is to be seen as well as the sinks of the others.
ColourScale scale_of(const std::vector<NamedMap>& maps);

bool has_negative(const std::vector<NamedMap>& maps);

// The largest difference between two maps' weights; infinite if they are not of the same positions
// and trigger.
double difference(const AttentionMap& one, const AttentionMap& other);

}  // namespace sinkproof::report
