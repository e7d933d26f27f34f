#include "report/chart/enclosure_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "report/bound_text.hpp"
#include "report/chart/axis.hpp"
#include "report/chart/svg_text.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using text::escape;

constexpr int kLeft = 34;  // room for the rows' labels
constexpr int kTop = 8;
constexpr int kBottom = 28;
constexpr int kRight = 12;
constexpr int kWordRoom = 22;  // more of it where labels are words
constexpr std::size_t kWordLength = 10;
constexpr int kNarrowest = 250;        // so that small maps have cells of the others' size
constexpr std::size_t kMany = 40;      // columns that want the page's width
constexpr std::size_t kTitles = 2048;  // cells that may each have a title
constexpr int kMostDecades = 12;

// Where cells are: of one size in maps that are about equally wide.
struct Grid {
  int pitch = 10;
  int cell = 9;
  int left = kLeft;
  int bottom = kBottom;

  [[nodiscard]] int x(std::size_t place) const { return left + pitch * static_cast<int>(place); }
  [[nodiscard]] int y(std::size_t place) const { return kTop + pitch * static_cast<int>(place); }
};

bool broad(const EnclosureField& field) { return field.columns > kMany; }

Grid cells_of(const EnclosureField& field) {
  if (field.columns <= 10) return {20, 19};
  if (field.columns <= 20) return {10, 9};
  if (field.columns <= kMany) return {6, 5};
  return field.columns <= 64 ? Grid{10, 9} : Grid{8, 7};  // twice as wide
}

Grid grid_of(const EnclosureMap& map) {
  Grid grid = cells_of(map.field);
  if (map.rows.words) grid.left += kWordRoom;
  if (map.columns.words) grid.bottom += kWordRoom;
  return grid;
}

// A word as a label: a blank would not be seen at its ends.
std::string shown(const Axis& axis, std::size_t place) {
  const std::string& label = axis.labels[place];
  if (!axis.words) return escape(label);
  std::string word;
  std::size_t characters = 0;
  for (const char c : label) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++characters > kWordLength) return escape(word + "…");
    word += c == ' ' ? std::string("·") : std::string(1, c);
  }
  return escape(word);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

bool holds_zero(const Enclosure& number) { return number.lower <= 0 && number.upper >= 0; }

const std::vector<std::string>& spoken(const Axis& axis) {
  return axis.spoken.empty() ? axis.labels : axis.spoken;
}

// ---- colours

int level_of(const Shades& shades, double magnitude, bool decades) {
  const double place = decades
                           ? (std::log10(magnitude) - shades.bottom) / (shades.top - shades.bottom)
                           : magnitude / shades.largest;
  if (!(place > 0)) return 0;
  return static_cast<int>(std::min(std::floor(place * kLevels), kLevels - 1.0));
}

// The classes of one end of an interval.
struct Colour {
  int first;
  int decades;
  bool operator==(const Colour&) const = default;
  [[nodiscard]] std::string css() const { return fmt::format("n{} g{}", first, decades); }
};

Colour colour_of(const Shades& shades, double value) {
  const double magnitude = std::abs(value);
  const int decades = level_of(shades, magnitude, true);
  return {shades.decades_only ? decades : level_of(shades, magnitude, false), decades};
}

// Neighbouring levels cannot be told apart.
bool alike(const Colour& one, const Colour& other) {
  return std::abs(one.first - other.first) <= 1 && std::abs(one.decades - other.decades) <= 1;
}

// ---- cells

std::string cell_text(const EnclosureMap& map, const Enclosure& number) {
  return map.estimated ? fmt::format("{:.4g}", drawable(number.lower)) : certain_text(number);
}

struct Place {
  int x;
  int y;
  int size;
};

std::string shape(const std::string& css, const std::string& path, const std::string& title) {
  return fmt::format(R"(<path class="{}" d="{}"{})", css, path,
                     title.empty() ? "/>" : "><title>" + escape(title) + "</title></path>");
}

// What is drawn of a number: a square, or two triangles, by their classes.
std::vector<std::pair<std::string, std::string>> cell_shapes(const Enclosure& number,
                                                             const Shades& shades,
                                                             const Place& at) {
  const std::string square = fmt::format("M{0} {1}h{2}v{2}h-{2}z", at.x, at.y, at.size);
  if (number.lower == 0 && number.upper == 0) return {{"z", square}};
  const Colour lower = colour_of(shades, drawable(number.lower));
  const Colour upper = colour_of(shades, drawable(number.upper));
  if (alike(lower, upper)) return {{upper.css(), square}};
  return {{lower.css(), fmt::format("M{0} {1}h{2}l-{2} {2}z", at.x, at.y, at.size)},
          {upper.css(), fmt::format("M{0} {1}v{2}h-{2}z", at.x + at.size, at.y, at.size)}};
}

std::string cell_title(const EnclosureMap& map, std::size_t row, std::size_t column) {
  return fmt::format("{} {}, {} {}: {} {}", map.rows.name, spoken(map.rows)[row], map.columns.name,
                     spoken(map.columns)[column], map.quantity,
                     cell_text(map, map.field.at(row, column)));
}

// A path for each shape with its cell's title, or, without titles, one for each colour.
std::string row_shapes(const EnclosureMap& map, const Shades& shades, std::size_t row,
                       bool titled) {
  const Grid grid = grid_of(map);
  std::string all;
  std::map<std::string, std::string> paths;
  for (std::size_t c = 0; c < map.field.columns; ++c) {
    const Place at{grid.x(c), grid.y(row), grid.cell};
    for (const auto& [css, path] : cell_shapes(map.field.at(row, c), shades, at)) {
      if (titled) {
        all += shape(css, path, cell_title(map, row, c));
      } else {
        paths[css] += path;
      }
    }
  }
  for (const auto& [css, path] : paths) all += shape(css, path, "");
  return all;
}

std::string cells(const EnclosureMap& map, const Shades& shades) {
  const bool titled = map.field.cells.size() <= kTitles;
  std::string all;
  for (std::size_t r = 0; r < map.field.rows; ++r) {
    std::string data;
    for (std::size_t c = 0; c < map.field.columns; ++c) {
      data += (data.empty() ? "" : " ") + without_blanks(cell_text(map, map.field.at(r, c)));
    }
    all += fmt::format("<g data-a=\"{}\">{}</g>\n", data, row_shapes(map, shades, r, titled));
  }
  return all;
}

std::string mark_shape(CellMark mark, double x, double y, double size) {
  switch (mark) {
    case CellMark::kNone:
      return "";
    case CellMark::kFull:
      return fmt::format(R"(<circle class="mark-on full" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>)", x,
                         y, size * .24);
    case CellMark::kRing:
      return fmt::format(R"(<circle class="mark-on" cx="{0:.1f}" cy="{1:.1f}" r="{2:.1f}"/>)"
                         R"(<circle class="mark-on in" cx="{0:.1f}" cy="{1:.1f}" r="{2:.1f}"/>)",
                         x, y, size * .26);
    case CellMark::kCross:
      break;
  }
  const double half = size * .26;
  const std::string path = fmt::format(
      "M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}m0 -{2:.1f}l-{2:.1f} {2:.1f}", x - half, y - half, 2 * half);
  return fmt::format(R"(<path class="mark-on" d="{0}"/><path class="mark-on in" d="{0}"/>)", path);
}

std::string marks(const EnclosureMap& map) {
  const Grid grid = grid_of(map);
  std::string all;
  for (std::size_t i = 0; i < map.marks.size(); ++i) {
    all += mark_shape(map.marks[i], grid.x(i % map.field.columns) + grid.cell / 2.0,
                      grid.y(i / map.field.columns) + grid.cell / 2.0, grid.cell);
  }
  return all;
}

std::string minus_bars(const EnclosureMap& map) {
  const Grid grid = grid_of(map);
  std::string bars;
  for (std::size_t i = 0; i < map.field.cells.size(); ++i) {
    if (map.field.cells[i].upper >= 0) continue;
    bars += minus_bar(grid.x(i % map.field.columns), grid.y(i / map.field.columns), grid.cell);
  }
  if (bars.empty()) return "";
  return fmt::format(R"(<path class="minus" d="{0}"/><path class="minus in" d="{0}"/>)", bars);
}

// ---- labels

// Every so many-th label, so that they do not touch.
std::size_t label_step(const Axis& axis, int pitch, double room) {
  constexpr double kLine = 8;
  if (axis.words) room = kLine;
  std::size_t longest = 1;
  for (const std::string& label : axis.labels) longest = std::max(longest, label.size());
  const double needed = room > 0 ? room : 4.2 * static_cast<double>(longest) + 3;
  return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / pitch)));
}

std::string labels(const EnclosureMap& map) {
  const Grid grid = grid_of(map);
  constexpr double kLine = 8;
  std::string text;
  for (std::size_t r = 0; r < map.field.rows; r += label_step(map.rows, grid.pitch, kLine)) {
    text += fmt::format(R"(<text class="row" x="{}" y="{}" text-anchor="end">{}</text>)",
                        grid.left - 4, grid.y(r) + grid.cell / 2.0 + 2.5, shown(map.rows, r));
  }
  const int bottom = grid.y(map.field.rows);
  for (std::size_t c = 0; c < map.field.columns; c += label_step(map.columns, grid.pitch, 0)) {
    const double x = grid.x(c) + grid.cell / 2.0;
    text +=
        map.columns.words
            ? fmt::format(R"svg(<text class="column" x="{0}" y="{1}" text-anchor="end" )svg"
                          R"svg(transform="rotate(-90 {0} {1})">{2}</text>)svg",
                          x + 2.5, bottom + 4, shown(map.columns, c))
            : fmt::format(R"(<text class="column" x="{}" y="{}" text-anchor="middle">{}</text>)", x,
                          bottom + 8, shown(map.columns, c));
  }
  const int middle = (kTop + bottom) / 2;
  return text +
         fmt::format(R"(<text class="label" x="{}" y="{}">{}</text>)"
                     R"svg(<text class="label" x="8" y="{}" transform="rotate(-90 8 {})" )svg"
                     R"(text-anchor="middle">{}</text>)",
                     grid.left, bottom + grid.bottom - 8, escape(map.columns.name), middle, middle,
                     escape(map.rows.name));
}

// ---- the whole

// '|' stands between the labels, so that those that hold one show another bar.
std::string joined(const std::vector<std::string>& labels) {
  std::string all;
  for (const std::string& label : labels) {
    all += all.empty() && &label == &labels.front() ? "" : "|";
    for (const char c : label) all += c == '|' ? std::string("∣") : std::string(1, c);
  }
  return escape(all);
}

// The greatest cell, in words.
std::string description(const EnclosureMap& map) {
  const auto& all = map.field.cells;
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.lower < b.lower; });
  const auto at = static_cast<std::size_t>(most - all.begin());
  return fmt::format(
      "{} ({}) and {} ({}) of {}: {} {}, {} {}, {} {}.", text::counted(map.field.rows, "row"),
      map.rows.name, text::counted(map.field.columns, "column"), map.columns.name,
      map.estimated ? "estimates in double precision. The largest"
                    : "certified numbers. The largest lower end",
      map.rows.name, spoken(map.rows)[at / map.field.columns], map.columns.name,
      spoken(map.columns)[at % map.field.columns], map.quantity, cell_text(map, *most));
}

std::string drawing(const EnclosureMap& map, const Shades& shades) {
  const Grid grid = grid_of(map);
  const SvgText text{map.title, description(map)};
  const int width =
      std::max(broad(map.field) ? 2 * kNarrowest : kNarrowest, grid.x(map.field.columns) + kRight);
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\"{} data-left=\"{}\" data-top=\"{}\" data-bottom=\"{}\" "
      "data-pitch=\"{}\" "
      "data-rows=\"{}\" data-columns=\"{}\" data-row=\"{}\" data-column=\"{}\" "
      "data-what=\"{}\">{}\n",
      width, grid.y(map.field.rows) + grid.bottom, svg_role(text), grid.left, kTop,
      grid.y(map.field.rows), grid.pitch, joined(spoken(map.rows)), joined(spoken(map.columns)),
      escape(map.rows.name), escape(map.columns.name), escape(map.quantity), svg_words(text));
  svg += cells(map, shades);
  svg += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)",
                     grid.left - 0.5, kTop - 0.5, grid.pitch * static_cast<int>(map.field.columns),
                     grid.pitch * static_cast<int>(map.field.rows));
  return svg + minus_bars(map) + marks(map) + labels(map) + "</svg>";
}

// Evenly spaced labels that have room.
std::vector<BarTick> decade_ticks(const Shades& shades) {
  const int decades = shades.top - shades.bottom;
  const int step = (decades + 7) / 8;
  std::vector<BarTick> ticks;
  for (int d = 0; d <= decades; d += step) {
    ticks.push_back({d / static_cast<double>(decades), power_of_ten_label(shades.bottom + d)});
  }
  return ticks;
}

}  // namespace

Shades shades_of(const std::vector<const EnclosureField*>& fields) {
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  Shades shades;
  for (const EnclosureField* field : fields) {
    for (const Enclosure& number : field->cells) {
      const double low = std::abs(drawable(number.lower));
      const double high = std::abs(drawable(number.upper));
      most = std::max({most, low, high});
      if (!holds_zero(number) && std::min(low, high) > 0) least = std::min({least, low, high});
      shades.negative = shades.negative || number.upper < 0;
    }
  }
  if (most == 0) return shades;
  least = std::min(least, most);
  shades.largest = round_up_nicely(most);
  shades.top = static_cast<int>(std::ceil(std::log10(most) - 1e-9));
  shades.bottom = std::clamp(static_cast<int>(std::floor(std::log10(least))),
                             shades.top - kMostDecades, shades.top - 1);
  shades.decades_only = most >= 100 * least;
  return shades;
}

std::string mark_sign(CellMark mark) {
  return fmt::format(R"(<svg class="sign" viewBox="0 0 14 16" aria-hidden="true">)"
                     R"(<path class="n14 g14" d="M0 1h14v14h-14z"/>{}</svg>)",
                     mark_shape(mark, 7, 8, 14));
}

std::string enclosure_map(const EnclosureMap& map, const Shades& shades) {
  return fmt::format(
      "<figure class=\"map{}\" id=\"{}\" aria-label=\"{}\"{}>\n<div class=\"pick\">{}</div>\n"
      "<figcaption><strong>{}</strong>{}{}</figcaption></figure>\n",
      broad(map.field) ? " broad" : "", map.id, escape(map.title),
      map.stands_for.empty() ? "" : fmt::format(" data-of=\"{}\"", map.stands_for),
      drawing(map, shades), escape(map.title),
      map.estimated ? " <span class=\"tag\">estimate, not proved</span>"
                    : " <span class=\"tag\">proved</span>",
      map.words.empty() ? "" : "<br>" + map.words);
}

std::string shade_bars(const Shades& shades, const std::string& quantity) {
  const std::string looks =
      shades.negative ? " Cells with a bar are negative, coloured by their size." : "";
  const SvgText log{
      "Colour bar of " + quantity + ", logarithmic",
      fmt::format("From dark at 10 to the power {} to bright at 10 to the power {}.{}",
                  shades.bottom, shades.top, looks)};
  if (shades.decades_only) {
    return colour_bar({"", decade_ticks(shades), shades.negative, log}) + "\n";
  }
  std::vector<BarTick> ticks;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    ticks.push_back({share, fmt::format("{:.4g}", shades.largest * share)});
  }
  const SvgText linear{"Colour bar of " + quantity,
                       fmt::format("From dark at 0 to bright at {:.4g}.{}", shades.largest, looks)};
  return colour_bar({" linear", ticks, shades.negative, linear}) +
         colour_bar({" log", decade_ticks(shades), shades.negative, log}) + "\n";
}

}  // namespace sinkproof::report
