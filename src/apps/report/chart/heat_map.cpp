#include "report/chart/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "report/chart/svg_text.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

constexpr int kLeft = 34;  // room for the rows' labels
constexpr int kTop = 20;   // room for the marks of columns
constexpr int kBottom = 26;
constexpr int kRight = 30;

// The cells of a map of so many positions: drawings of all sizes come out about equally wide, so
// that their labels can be read.
struct Grid {
  std::size_t size = 0;
  int pitch = 10;
  int cell = 9;  // smaller than the pitch where there is room for a gap

  [[nodiscard]] int x(std::size_t place) const { return kLeft + pitch * static_cast<int>(place); }
  [[nodiscard]] int y(std::size_t place) const { return kTop + pitch * static_cast<int>(place); }
};

Grid grid_of(const AttentionMap& map) {
  const std::size_t size = map.positions.size();
  if (size <= 24) return {size, 10, 9};
  if (size <= 40) return {size, 6, 5};
  if (size <= kCellTitles) return {size, 4, 4};
  return {size, 2, 2};
}

std::size_t place_of(const AttentionMap& map, std::size_t position) {
  const auto found = std::lower_bound(map.positions.begin(), map.positions.end(), position);
  return static_cast<std::size_t>(found - map.positions.begin());
}

std::string cell_square(const Grid& grid, std::size_t row, std::size_t column) {
  return fmt::format("M{} {}h{}v{}h-{}z", grid.x(column), grid.y(row), grid.cell, grid.cell,
                     grid.cell);
}

std::string shown(double weight) { return fmt::format("{:.4g}", weight); }

// The tag that opens a row's group; data-a lists the weights on its keys for the page's script.
std::string row_group(const AttentionMap& map, std::size_t r) {
  std::string weights;
  for (const double weight : map.weights[r]) {
    weights += (weights.empty() ? "" : " ") + shown(weight);
  }
  const std::string null =
      map.null.empty() ? "" : fmt::format(R"( data-null="{}")", shown(map.null[r]));
  return fmt::format(R"(<g data-a="{}"{}>)", weights, null);
}

// A path per cell, each with its title.
std::string titled_cells(const AttentionMap& map, const ColourScale& scale) {
  const Grid grid = grid_of(map);
  std::string cells;
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    cells += row_group(map, r);
    for (std::size_t c = 0; c <= r; ++c) {
      const double weight = map.weights[r][c];
      cells +=
          fmt::format(R"(<path class="{}" d="{}"><title>row {}, key {}: a = {}</title></path>)",
                      colour_class(scale, weight), cell_square(grid, r, c), map.positions[r],
                      map.positions[c], shown(weight));
    }
    cells += "</g>\n";
  }
  return cells;
}

// "; null slot 0.98", "" where there is none.
std::string null_text(const AttentionMap& map, std::size_t r) {
  return map.null.empty() ? "" : fmt::format("; null slot {:.4g}", map.null[r]);
}

std::string row_title(const AttentionMap& map, std::size_t r) {
  const auto& weights = map.weights[r];
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::max_element(weights.begin(), weights.end(), smaller);
  return fmt::format("row {}: a = {:.4g} on key 1, largest a = {:.4g} on key {}{}",
                     map.positions[r], weights[0], *largest,
                     map.positions[static_cast<std::size_t>(largest - weights.begin())],
                     null_text(map, r));
}

// A group per row with one title; the row's cells of one colour are one path.
std::string titled_rows(const AttentionMap& map, const ColourScale& scale) {
  const Grid grid = grid_of(map);
  std::string rows;
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    std::map<std::string, std::string> squares;  // by colour
    for (std::size_t c = 0; c <= r; ++c) {
      squares[colour_class(scale, map.weights[r][c])] += cell_square(grid, r, c);
    }
    rows += row_group(map, r) + fmt::format("<title>{}</title>", row_title(map, r));
    for (const auto& [colour, path] : squares) {
      rows += fmt::format(R"(<path class="{}" d="{}"/>)", colour, path);
    }
    rows += "</g>\n";
  }
  return rows;
}

bool has_negative(const AttentionMap& map) {
  return std::any_of(map.weights.begin(), map.weights.end(), [](const std::vector<double>& row) {
    return std::any_of(row.begin(), row.end(), [](double weight) { return weight < 0; });
  });
}

// A bar across each negative cell, light on dark so that it shows on every colour.
std::string minus_bars(const AttentionMap& map) {
  if (!has_negative(map)) return "";
  const Grid grid = grid_of(map);
  std::string bars;
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      if (map.weights[r][c] < 0) bars += minus_bar(grid.x(c), grid.y(r), grid.cell);
    }
  }
  return fmt::format(R"(<path class="minus" d="{0}"/><path class="minus in" d="{0}"/>)", bars);
}

// Around columns x rows cells, from (column, row) on: in the gaps between cells or, where there are
// none, just outside.
std::string outline(std::string_view css, const Grid& grid, std::size_t column, std::size_t row,
                    std::size_t columns, std::size_t rows) {
  const int outside = grid.cell < grid.pitch ? 0 : 1;
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", css,
                     grid.x(column) - 0.5, grid.y(row) - 0.5,
                     grid.pitch * static_cast<int>(columns) + outside,
                     grid.pitch * static_cast<int>(rows) + outside);
}

std::string witness_arrow(const AttentionMap& map, std::size_t row) {
  const Grid grid = grid_of(map);
  return fmt::format(R"(<path class="witness" d="M{} {}l-7 -4v8z"/>)", kLeft - 2,
                     grid.y(place_of(map, row)) + grid.cell / 2.0);
}

// The sink column, the trigger's row and column, and the witness's row.
std::string outlines(const AttentionMap& map) {
  const Grid grid = grid_of(map);
  const std::size_t trigger = place_of(map, map.trigger);
  std::string marks = outline("trigger", grid, 0, trigger, trigger + 1, 1);
  marks += outline("trigger", grid, trigger, trigger, 1, grid.size - trigger);
  marks += outline("sink", grid, 0, 0, 1, grid.size);
  marks += witness_arrow(map, map.row);
  marks += fmt::format(R"(<text class="bos" x="{}" y="{}">sink: BOS</text>)", kLeft, kTop - 6);
  // Beside the diagonal, where no cell is.
  return marks + fmt::format(R"(<text class="label" x="{}" y="{}">trigger</text>)",
                             grid.x(trigger) + grid.pitch / 10.0, grid.y(trigger) - 3);
}

// Which positions get a label along an axis: all, or multiples of 4, 8 or 16 (and the first after a
// gap), but none that would touch the one before. `room` is what a label of so many digits needs.
template <typename Room>
std::vector<std::size_t> labelled(const AttentionMap& map, Room room) {
  const Grid grid = grid_of(map);
  const std::size_t step = grid.size <= 24 ? 1 : 64U / static_cast<std::size_t>(grid.pitch) / 2U;
  std::vector<std::size_t> places;
  for (std::size_t p = 0; p < grid.size; ++p) {
    const std::size_t position = map.positions[p];
    const bool first = p == 0 || map.positions[p - 1] + 1 != position;
    if (!first && position % step != 0) continue;
    const double needed = room(std::to_string(position).size());
    if (!places.empty() && grid.x(p) - grid.x(places.back()) < needed) continue;
    places.push_back(p);
  }
  return places;
}

std::string position_labels(const AttentionMap& map) {
  const Grid grid = grid_of(map);
  std::string labels;
  for (const std::size_t p : labelled(map, [](std::size_t) { return 8.0; })) {
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", kLeft - 11,
                          grid.y(p) + grid.cell / 2.0 + 3, map.positions[p]);
  }
  const auto width = [](std::size_t digits) { return 4.0 * static_cast<double>(digits) + 1.5; };
  for (const std::size_t p : labelled(map, width)) {
    labels += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                          grid.x(p) + grid.cell / 2.0, grid.y(grid.size) + 8, map.positions[p]);
  }
  return labels;
}

// Lines where neighbouring rows and columns are not neighbouring positions.
std::string gaps(const AttentionMap& map) {
  const Grid grid = grid_of(map);
  std::string lines;
  for (std::size_t p = 1; p < grid.size; ++p) {
    if (map.positions[p - 1] + 1 == map.positions[p]) continue;
    lines += fmt::format(R"(<path class="gap" d="M{} {}H{}M{} {}V{}"/>)", kLeft, grid.y(p) - 0.5,
                         grid.x(p), grid.x(p) - 0.5, grid.y(p), grid.y(grid.size));
  }
  return lines;
}

// The least and the greatest weight on key 1 in the rows below the first, which has no other key.
std::string sink_words(const AttentionMap& map) {
  std::string text = "The sink column, key 1 (BOS), is outlined";
  if (map.weights.size() < 2) return text + ". ";
  double least = map.weights[1][0];
  double most = least;
  for (std::size_t r = 1; r < map.weights.size(); ++r) {
    least = std::min(least, map.weights[r][0]);
    most = std::max(most, map.weights[r][0]);
  }
  return text + fmt::format("; the rows from {} on give it {} to {}. ", map.positions[1],
                            shown(least), shown(most));
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
  if (has_negative(map)) text += "Cells with a bar have negative weight. ";
  return text + sink_words(map) + "Witness " + row_title(map, row) + ".";
}

// The properties whose maps are not drawn, since they look like this one.
std::string alike_words(const AttentionMap& map, const std::vector<NamedMap>& alike) {
  std::string text;
  double most = 0;
  for (const NamedMap& other : alike) {
    text += fmt::format("{}<strong>{}</strong> (row {})", text.empty() ? "" : ", ",
                        escape(other.name), other.map.row);
    most = std::max(most, difference(map, other.map));
  }
  if (text.empty()) return "";
  return "<br>similar to " + text +
         (most == 0 ? ": the same weights"
                    : fmt::format(": no weight differs by more than ≈ {:.1g}", most));
}

std::string caption(const AttentionMap& map, const std::string& name,
                    const std::vector<NamedMap>& alike) {
  const auto& weights = map.weights[place_of(map, map.row)];
  std::string text = fmt::format(
      R"(<figcaption><strong>{}</strong> <span class="tag">estimate</span><br>witness row {}, )"
      R"(trigger at {}<br><span class="num">a<sub>{},1</sub> ≈ {:.4g}</span>)",
      escape(name), map.row, map.trigger, map.row, weights[0]);
  if (!map.null.empty()) {
    text += fmt::format(R"(, <span class="num">null slot ≈ {:.4g}</span>)",
                        map.null[place_of(map, map.row)]);
  }
  if (!map.whole()) {
    text += fmt::format(
        "<br>Length {}: only BOS, the trigger and the positions around the witness row are drawn.",
        map.length);
  }
  return text + alike_words(map, alike) + "</figcaption>";
}

// Where the cells can be, so that a dark cell does not get lost on a dark page.
std::string frame(const Grid& grid) {
  std::string path = fmt::format("M{} {}", grid.x(0) - 0.5, grid.y(0) - 0.5);
  for (std::size_t p = 0; p < grid.size; ++p) {
    path += fmt::format("h{0}v{0}", grid.pitch);
  }
  return fmt::format(R"(<path class="frame" d="{}H{}z"/>)", path, grid.x(0) - 0.5);
}

// How the page's script finds a cell: where the grid begins, and the position of each of its lines.
std::string grid_data(const AttentionMap& map) {
  std::string positions;
  for (const std::size_t position : map.positions) {
    positions += (positions.empty() ? "" : " ") + std::to_string(position);
  }
  return fmt::format(R"( data-left="{}" data-top="{}" data-pitch="{}" data-positions="{}")", kLeft,
                     kTop, grid_of(map).pitch, positions);
}

std::string drawing(const AttentionMap& map, const ColourScale& scale, const std::string& name,
                    Titles titles, const std::vector<NamedMap>& alike) {
  const Grid grid = grid_of(map);
  const SvgText text{"Attention on the witness of " + name, description(map)};
  std::string svg =
      fmt::format("<svg{} viewBox=\"0 0 {} {}\"{}{}>{}\n",
                  grid.cell < grid.pitch ? "" : " class=\"fine\"", grid.x(grid.size) + kRight,
                  grid.y(grid.size) + kBottom, svg_role(text), grid_data(map), svg_words(text));
  const bool cells = titles == Titles::kCells && grid.size <= kCellTitles;
  svg += cells ? titled_cells(map, scale) : titled_rows(map, scale);
  svg += frame(grid) + minus_bars(map) + gaps(map) + outlines(map) + position_labels(map);
  for (const NamedMap& other : alike) {
    if (other.map.row != map.row) svg += witness_arrow(map, other.map.row);
  }
  return svg +
         fmt::format(R"(<text class="label" x="{0}" y="{1}" text-anchor="middle">)"
                     "key position</text>"
                     R"svg(<text class="label" x="8" y="{2}" transform="rotate(-90 8 {2})" )svg"
                     "text-anchor=\"middle\">query position</text></svg>",
                     (kLeft + grid.x(grid.size)) / 2, grid.y(grid.size) + 20,
                     (kTop + grid.y(grid.size)) / 2);
}

}  // namespace

ColourScale scale_of(const std::vector<NamedMap>& maps) {
  double most = 0;
  double faintest = std::numeric_limits<double>::infinity();
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  for (const auto& [name, map] : maps) {
    for (std::size_t r = 0; r < map.weights.size(); ++r) {
      const auto& row = map.weights[r];
      const double largest = std::abs(*std::max_element(row.begin(), row.end(), smaller));
      most = std::max(most, largest);
      if (map.positions[r] == map.trigger) faintest = std::min(faintest, largest);
    }
  }
  return scale_for(most, std::min(faintest, most));
}

bool has_negative(const std::vector<NamedMap>& maps) {
  return std::any_of(maps.begin(), maps.end(),
                     [](const NamedMap& named) { return has_negative(named.map); });
}

double difference(const AttentionMap& one, const AttentionMap& other) {
  if (one.positions != other.positions || one.trigger != other.trigger) {
    return std::numeric_limits<double>::infinity();
  }
  double most = 0;
  for (std::size_t r = 0; r < one.weights.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      most = std::max(most, std::abs(one.weights[r][c] - other.weights[r][c]));
    }
    if (!one.null.empty()) most = std::max(most, std::abs(one.null[r] - other.null[r]));
  }
  return most;
}

std::string heat_map(const AttentionMap& map, const ColourScale& scale, const std::string& name,
                     Titles titles, const std::vector<NamedMap>& alike) {
  return fmt::format(
      "<figure class=\"map\" aria-label=\"Attention on the witness of {}\">\n"
      "<div class=\"pick\">{}</div>\n{}</figure>\n",
      escape(name), drawing(map, scale, name, titles, alike), caption(map, name, alike));
}

}  // namespace sinkproof::report
