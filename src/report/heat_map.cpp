#include "report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "report/html_text.hpp"

namespace sinkproof::report {
namespace {

constexpr int kPitch = 10;  // of cells
constexpr int kCell = 9;
constexpr int kLeft = 34;  // room for the rows' labels
constexpr int kTop = 20;   // room for the marks of columns
constexpr int kBottom = 26;
constexpr int kRight = 30;

// Where position `place` (an index into map.positions) begins.
int column_x(std::size_t place) { return kLeft + kPitch * static_cast<int>(place); }
int row_y(std::size_t place) { return kTop + kPitch * static_cast<int>(place); }

std::size_t place_of(const AttentionMap& map, std::size_t position) {
  const auto found = std::lower_bound(map.positions.begin(), map.positions.end(), position);
  return static_cast<std::size_t>(found - map.positions.begin());
}

std::string cell_square(std::size_t row, std::size_t column) {
  return fmt::format("M{} {}h{}v{}h-{}z", column_x(column), row_y(row), kCell, kCell, kCell);
}

// A path per cell, each with its title.
std::string titled_cells(const AttentionMap& map, const ColourScale& scale) {
  std::string cells;
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      const double weight = map.weights[r][c];
      cells +=
          fmt::format(R"(<path class="{}" d="{}"><title>row {}, key {}: a = {:.4g}</title></path>)",
                      colour_class(scale, weight), cell_square(r, c), map.positions[r],
                      map.positions[c], weight);
    }
    cells += "\n";
  }
  return cells;
}

std::string row_title(const AttentionMap& map, std::size_t r) {
  const auto& weights = map.weights[r];
  const auto largest = std::max_element(weights.begin(), weights.end());
  return fmt::format("row {}: a = {:.4g} on key 1, largest a = {:.4g} on key {}", map.positions[r],
                     weights[0], *largest,
                     map.positions[static_cast<std::size_t>(largest - weights.begin())]);
}

// A group per row with one title; the row's cells of one colour are one path.
std::string titled_rows(const AttentionMap& map, const ColourScale& scale) {
  std::string rows;
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    std::map<std::string, std::string> squares;  // by colour
    for (std::size_t c = 0; c <= r; ++c) {
      squares[colour_class(scale, map.weights[r][c])] += cell_square(r, c);
    }
    rows += fmt::format("<g><title>{}</title>", row_title(map, r));
    for (const auto& [colour, path] : squares) {
      rows += fmt::format(R"(<path class="{}" d="{}"/>)", colour, path);
    }
    rows += "</g>\n";
  }
  return rows;
}

std::string outline(std::string_view css, int x, int y, std::size_t columns, std::size_t rows) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", css, x - 0.5,
                     y - 0.5, kPitch * static_cast<int>(columns), kPitch * static_cast<int>(rows));
}

// The sink column, the trigger's row and column, and the witness's row.
std::string outlines(const AttentionMap& map) {
  const std::size_t size = map.positions.size();
  const std::size_t trigger = place_of(map, map.trigger);
  const std::size_t row = place_of(map, map.row);
  std::string marks = outline("trigger", column_x(0), row_y(trigger), trigger + 1, 1);
  marks += outline("trigger", column_x(trigger), row_y(trigger), 1, size - trigger);
  marks += outline("sink", column_x(0), kTop, 1, size);
  marks += fmt::format(R"(<path class="witness" d="M{} {}l-7 -4v8z"/>)", kLeft - 2,
                       row_y(row) + kCell / 2.0);
  marks += fmt::format(R"(<text class="mark" x="{}" y="{}">BOS</text>)", kLeft, kTop - 6);
  // Beside the diagonal, where no cell is.
  return marks + fmt::format(R"(<text class="mark" x="{}" y="{}">trigger</text>)",
                             column_x(trigger) + 1, row_y(trigger) - 3);
}

// Labels every `step` positions, and always where the map has a gap.
std::string position_labels(const AttentionMap& map) {
  const std::size_t size = map.positions.size();
  const std::size_t step = size <= 20 ? 1 : size <= 40 ? 4 : size <= 80 ? 8 : 16;
  std::string labels;
  for (std::size_t p = 0; p < size; ++p) {
    const std::size_t position = map.positions[p];
    const bool after_gap = p > 0 && map.positions[p - 1] + 1 != position;
    if (position != 1 && position % step != 0 && !after_gap) continue;
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", kLeft - 11,
                          row_y(p) + 7.5, position);
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                          column_x(p) + kCell / 2.0, row_y(size) + 8, position);
  }
  return labels;
}

// Lines where neighbouring rows and columns are not neighbouring positions.
std::string gaps(const AttentionMap& map) {
  std::string lines;
  const std::size_t size = map.positions.size();
  for (std::size_t p = 1; p < size; ++p) {
    if (map.positions[p - 1] + 1 == map.positions[p]) continue;
    lines += fmt::format(R"(<path class="gap" d="M{} {}H{}M{} {}V{}"/>)", kLeft, row_y(p) - 0.5,
                         column_x(p), column_x(p) - 0.5, row_y(p), row_y(size));
  }
  return lines;
}

std::string description(const AttentionMap& map) {
  const std::size_t row = place_of(map, map.row);
  std::string text = fmt::format(
      "Causal attention matrix of an input of length {}, trigger at position {}. Estimates in "
      "double precision. ",
      map.length, map.trigger);
  if (!map.whole()) {
    text += "Only BOS, the trigger and the positions around the witness row are drawn. ";
  }
  return text + "Witness " + row_title(map, row) + ".";
}

std::string caption(const AttentionMap& map, const std::string& name) {
  const auto& weights = map.weights[place_of(map, map.row)];
  std::string text = fmt::format(
      R"(<figcaption><strong>{}</strong> <span class="tag">estimate</span><br>witness row {}, )"
      R"(trigger at {}<br><span class="num">a<sub>{},1</sub> ≈ {:.4g}</span>)",
      escape(name), map.row, map.trigger, map.row, weights[0]);
  if (!map.whole()) {
    text += fmt::format(
        "<br>Length {}: only BOS, the trigger and the positions around the witness row are drawn.",
        map.length);
  }
  return text + "</figcaption>";
}

std::string drawing(const AttentionMap& map, const ColourScale& scale) {
  const std::size_t size = map.positions.size();
  const std::string text = escape(description(map));
  std::string svg =
      fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}"><desc>{}</desc>)"
                  "\n",
                  column_x(size) + kRight, row_y(size) + kBottom, text, text);
  svg += size <= kCellTitles ? titled_cells(map, scale) : titled_rows(map, scale);
  svg += gaps(map) + outlines(map) + position_labels(map);
  return svg +
         fmt::format(
             R"(<text class="mark" x="{}" y="{}" text-anchor="middle">key position</text></svg>)",
             kLeft + kPitch * static_cast<int>(size) / 2, row_y(size) + 20);
}

}  // namespace

std::string heat_map(const AttentionMap& map, const ColourScale& scale, const std::string& name) {
  return fmt::format(
      R"(<figure class="map" tabindex="0" aria-label="Attention on the witness of {}">)"
      "\n{}\n{}</figure>\n",
      escape(name), drawing(map, scale), caption(map, name));
}

}  // namespace sinkproof::report
