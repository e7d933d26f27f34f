#include "report/chart/scatter_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart/axis.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

constexpr double kWidth = 440;
constexpr double kLeft = 46;
constexpr double kRight = 426;
constexpr double kTop = 38;
constexpr double kBottom = 330;
constexpr double kKeyTop = kBottom + 52;  // the key stands under it
constexpr double kKeyStep = 20;

// Okabe and Ito's colours, which every common colour-vision deficiency tells apart; yellow, too
// pale for a mark, is left out.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#56b4e9", "#e69f00", "#000000", "#7f7f7f"};
// A circle, a square, a diamond, a triangle, around (0, 0).
constexpr std::array kShapes = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-3.5 -3.5h7v7h-7z",
                                "M0 -5l5 5 -5 5 -5 -5z", "M0 -5l5 8.5h-10z"};

std::string words(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                     text::escape(text));
}

// From values to pixels along one axis; the logarithm of a value where it is logarithmic.
class Scale {
 public:
  Scale(const ScatterAxis& axis, std::vector<double> values, double from, double to)
      : logarithmic_(axis.logarithmic), from_(from), to_(to) {
    for (double& value : values) value = on_axis(value);
    range_ = range_around(values, !logarithmic_);
    if (axis.whole && range_.high - range_.low < range_.steps) in_whole_numbers(range_);
    if (logarithmic_) in_whole_numbers(range_);  // whole decades, none of them skipped
  }

  [[nodiscard]] double pixel(double value) const { return place(on_axis(value)); }
  [[nodiscard]] bool holds(double value) const {
    return on_axis(value) >= range_.low && on_axis(value) <= range_.high;
  }
  [[nodiscard]] int ticks() const { return range_.steps; }
  [[nodiscard]] double tick(int which) const { return place(tick_value(range_, which)); }
  [[nodiscard]] std::string label(int which) const {
    return (logarithmic_ ? "1e" : "") + tick_label(range_, which);
  }

 private:
  [[nodiscard]] double on_axis(double value) const {
    return logarithmic_ ? std::log10(value) : value;
  }
  [[nodiscard]] double place(double at) const {
    return from_ + (at - range_.low) / (range_.high - range_.low) * (to_ - from_);
  }

  bool logarithmic_;
  double from_, to_;
  Range range_;
};

std::vector<double> values(const ScatterChart& chart, double ScatterPoint::*coordinate) {
  std::vector<double> all;
  for (const ScatterGroup& group : chart.groups) {
    for (const ScatterPoint& point : group.points) all.push_back(point.*coordinate);
  }
  return all;
}

std::string grid(const ScatterChart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  std::string lines;
  for (int tick = 0; tick <= x.ticks(); ++tick) {
    lines += fmt::format("M{:.1f} {}V{}", x.tick(tick), kTop, kBottom);
    svg += words(x.tick(tick), kBottom + 14, "middle", x.label(tick));
  }
  for (int tick = 0; tick <= y.ticks(); ++tick) {
    lines += fmt::format("M{} {:.1f}H{}", kLeft, y.tick(tick), kRight);
    svg += words(kLeft - 5, y.tick(tick) + 4, "end", y.label(tick));
  }
  return fmt::format(R"(<path d="{}" stroke="#d8d8d8" fill="none"/>)", lines) + svg +
         words(kLeft, kTop - 6, "start", chart.y.label) +
         words(kRight, kBottom + 32, "end", chart.x.label) + "\n";
}

std::string mark(std::size_t group, double x, double y, bool filled) {
  const char* colour = kColours[group % kColours.size()];
  return fmt::format(
      R"svg(<path transform="translate({:.1f} {:.1f})" d="{}" stroke="{}" fill="{}"/>)svg", x, y,
      kShapes[group % kShapes.size()], colour, filled ? colour : "none");
}

// `look`: attributes of the line.
std::string line_through(const std::vector<ScatterPoint>& points, const Scale& x, const Scale& y,
                         const std::string& look) {
  std::string path;
  for (const ScatterPoint& point : points) {
    if (!x.holds(point.x) || !y.holds(point.y)) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.pixel(point.x),
                        y.pixel(point.y));
  }
  return fmt::format(R"(<path d="{}" fill="none" {}/>)", path, look);
}

}  // namespace

std::string scatter_chart(const ScatterChart& chart) {
  const Scale x(chart.x, values(chart, &ScatterPoint::x), kLeft, kRight);
  const Scale y(chart.y, values(chart, &ScatterPoint::y), kBottom, kTop);
  const double height =
      kKeyTop + kKeyStep * static_cast<double>(chart.groups.size() + chart.lines.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\"{2}>{3}\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      kWidth, height, svg_role(chart.text), svg_words(chart.text));
  svg += words(8, 14, "start", chart.text.title) + grid(chart, x, y);
  double key = kKeyTop;
  for (std::size_t g = 0; g < chart.groups.size(); ++g, key += kKeyStep) {
    if (chart.groups[g].joined) {
      svg += line_through(chart.groups[g].points, x, y,
                          fmt::format(R"(stroke="{}")", kColours[g % kColours.size()]));
    }
    for (const ScatterPoint& point : chart.groups[g].points) {
      svg += mark(g, x.pixel(point.x), y.pixel(point.y), point.filled);
    }
    svg += mark(g, kLeft, key, true) + words(kLeft + 14, key + 4, "start", chart.groups[g].name) +
           "\n";
  }
  for (const ScatterLine& line : chart.lines) {
    svg += line_through(line.points, x, y, R"(stroke="#1c2024" stroke-dasharray="6 4")");
    svg += fmt::format(R"(<path d="M{} {}h20" stroke="#1c2024" stroke-dasharray="6 4"/>)",
                       kLeft - 10, key) +
           words(kLeft + 14, key + 4, "start", line.name) + "\n";
    key += kKeyStep;
  }
  return svg + "</svg>\n";
}

}  // namespace sinkproof::report
