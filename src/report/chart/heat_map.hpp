// An attention matrix as an SVG grid: a row per query, a column per key, causal (nothing above the
// diagonal). The sink column (BOS, position 1), the trigger's row and column and the witness's row
// are marked, and named in the text alternative.
#pragma once

#include <string>

#include "report/attention_map.hpp"
#include "report/chart/colour_scale.hpp"

namespace sinkproof::report {

// Up to this many positions each cell may carry its own hover title; above, each row does, which
// keeps the page light.
inline constexpr std::size_t kCellTitles = 64;

enum class Titles { kCells, kRows };

// A <figure>; the page's script (page.js) makes its drawing something to enlarge and to read cell
// by cell, from the data- attributes of the drawing. `name` is the property whose witness it shows,
// with the head where there are several, not yet escaped. `titles` is kRows in any case above
// kCellTitles positions.
std::string heat_map(const AttentionMap& map, const ColourScale& scale, const std::string& name,
                     Titles titles = Titles::kCells);

}  // namespace sinkproof::report
