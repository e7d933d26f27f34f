#include "report/chart/xy_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart/axis.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

constexpr double kLeft = 66;
constexpr double kRight = 18;
constexpr double kTop = 34;
constexpr double kBottom = 46;

constexpr double kWidth = 450;
constexpr double kHeight = 270;

std::string pixel(double x) { return fmt::format("{:.1f}", x); }

std::string css_of(Look look) {
  switch (look) {
    case Look::kSink:
      return "of-sink";
    case Look::kSinkB:
      return "of-sink-b";
    case Look::kDiagonal:
      return "of-diagonal";
    case Look::kPlain:
      break;
  }
  return "of-plain";
}

std::string stroke_css(Stroke stroke) {
  return stroke == Stroke::kSolid ? "" : stroke == Stroke::kDashed ? " dashed" : " dotted";
}

// A circle, a triangle, a diamond, a square.
std::string marker(Look look, double x, double y) {
  switch (look) {
    case Look::kSink:
      return fmt::format(R"(<circle class="mark {}" cx="{}" cy="{}" r="5"/>)", css_of(look),
                         pixel(x), pixel(y));
    case Look::kSinkB:
      return fmt::format(R"(<path class="mark {}" d="M{} {}l6 10h-12z"/>)", css_of(look), pixel(x),
                         pixel(y - 6));
    case Look::kDiagonal:
      return fmt::format(R"(<path class="mark {}" d="M{} {}l6 6 -6 6 -6 -6z"/>)", css_of(look),
                         pixel(x), pixel(y - 6));
    case Look::kPlain:
      break;
  }
  return fmt::format(R"(<path class="mark {}" d="M{} {}h9v9h-9z"/>)", css_of(look), pixel(x - 4.5),
                     pixel(y - 4.5));
}

// Whole decades around the positive ones of these values, as their exponents.
Range decades_around(const std::vector<double>& values) {
  constexpr double kMostDecades = 12;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const double value : values) {
    most = std::max(most, value);
    if (value > 0) least = std::min(least, value);
  }
  if (most <= 0) return {-1, 0, 1};
  const double top = std::ceil(std::log10(most) - 1e-9);
  const double bottom =
      std::clamp(std::floor(std::log10(least)), top - kMostDecades, std::max(top - 1, -400.0));
  return {bottom, top, static_cast<int>(top - bottom)};
}

// Where values lie.
class Plane {
 public:
  explicit Plane(const Chart& chart) : decades_(chart.y_logarithmic) {
    std::vector<double> xs;
    std::vector<double> ys;
    const auto add = [&](const std::vector<IntervalAt>& intervals) {
      for (const IntervalAt& interval : intervals) {
        xs.push_back(drawable(interval.x));
        ys.push_back(drawable(interval.lower));
        ys.push_back(drawable(interval.upper));
      }
    };
    for (const Bars& bars : chart.bars) add(bars.intervals);
    for (const Curve& curve : chart.curves) add(curve.points);
    empty_ = xs.empty();
    if (empty_) return;
    x_ = range_around(xs, true);
    const bool whole =
        std::all_of(xs.begin(), xs.end(), [](double x) { return x == std::floor(x); });
    if (whole && x_.high - x_.low < x_.steps) in_whole_numbers(x_);
    y_ = decades_ ? decades_around(ys) : range_around(ys, chart.y_from_zero);
  }

  [[nodiscard]] bool empty() const { return empty_; }
  [[nodiscard]] double x(const exact::Rational& value) const { return x_of(drawable(value)); }
  [[nodiscard]] double y(const exact::Rational& value) const {
    const double number = drawable(value);
    if (!decades_) return y_of(number);
    return y_of(number > 0 ? std::log10(number) : y_.low);
  }

  [[nodiscard]] std::string grid() const {
    std::string lines;
    for (int i = 0; i <= x_.steps; ++i) {
      const double at = x_of(tick_value(x_, i));
      lines += fmt::format(R"(<path class="grid" d="M{} {}V{}"/>)", pixel(at), pixel(kTop),
                           pixel(kHeight - kBottom));
      lines += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", pixel(at),
                           pixel(kHeight - kBottom + 18), tick_label(x_, i));
    }
    for (int i = 0; i <= y_.steps; ++i) {
      const double at = y_of(tick_value(y_, i));
      lines += fmt::format(R"(<path class="grid" d="M{} {}H{}"/>)", pixel(kLeft), pixel(at),
                           pixel(kWidth - kRight));
      lines += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", pixel(kLeft - 8),
                           pixel(at + 4), decades_ ? "1e" + tick_label(y_, i) : tick_label(y_, i));
    }
    return lines;
  }

 private:
  [[nodiscard]] double x_of(double value) const {
    return kLeft + share(x_, value) * (kWidth - kRight - kLeft);
  }
  [[nodiscard]] double y_of(double value) const {
    return kHeight - kBottom - share(y_, value) * (kHeight - kBottom - kTop);
  }
  static double share(const Range& range, double value) {
    return std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
  }

  bool decades_;
  bool empty_ = true;
  Range x_;
  Range y_;
};

std::string labels(const Chart& chart) {
  return fmt::format(R"(<text class="name" x="{}" y="16">{}</text>)"
                     R"(<text class="name" x="{}" y="{}" text-anchor="end">{}</text>)",
                     pixel(10), escape(chart.y_label), pixel(kWidth - kRight), pixel(kHeight - 6),
                     escape(chart.x_label));
}

std::string drawn(const Curve& curve, const Plane& plane) {
  std::string forth;
  std::string back;
  for (const IntervalAt& at : curve.points) {
    forth += fmt::format("{}{} {}", forth.empty() ? "M" : "L", pixel(plane.x(at.x)),
                         pixel(plane.y(at.lower)));
    back.insert(0, fmt::format("L{} {}", pixel(plane.x(at.x)), pixel(plane.y(at.upper))));
  }
  const bool thin = std::all_of(curve.points.begin(), curve.points.end(),
                                [](const auto& at) { return at.lower == at.upper; });
  return fmt::format(R"(<path class="curve {}{}" d="{}{}"/>)", css_of(curve.look),
                     stroke_css(curve.stroke), forth, thin ? "" : back + "z");
}

std::string drawn(const Bars& bars, const Plane& plane) {
  std::string shapes;
  for (const IntervalAt& at : bars.intervals) {
    const double x = plane.x(at.x);
    const double below = plane.y(at.lower);
    const double above = plane.y(at.upper);
    shapes += marker(bars.look, x, (below + above) / 2);
    shapes += fmt::format(R"(<path class="whisker {0}" d="M{1} {2}h14M{3} {2}V{4}M{1} {4}h14"/>)",
                          css_of(bars.look), pixel(x - 7), pixel(below), pixel(x), pixel(above));
  }
  return shapes;
}

std::string key_of(const Chart& chart) {
  std::string key = R"(<p class="key">)";
  for (const Bars& bars : chart.bars) {
    key += fmt::format(
        R"(<span><svg class="sign" viewBox="0 0 14 16" aria-hidden="true">{}</svg>{}</span>)",
        marker(bars.look, 7, 8), escape(bars.name));
  }
  for (const Curve& curve : chart.curves) {
    key += fmt::format(R"(<span><svg class="sign long" viewBox="0 0 30 16" aria-hidden="true">)"
                       R"(<path class="curve {}{}" d="M1 8h28"/></svg>{}</span>)",
                       css_of(curve.look), stroke_css(curve.stroke), escape(curve.name));
  }
  return key + chart.evidence + "</p>\n";
}

}  // namespace

std::string xy_chart(const Chart& chart) {
  const Plane plane(chart);
  if (plane.empty()) return "";
  std::string body = plane.grid() + labels(chart);
  for (const Curve& curve : chart.curves) body += drawn(curve, plane);
  for (const Bars& bars : chart.bars) body += drawn(bars, plane);
  const std::string svg = fmt::format(
      R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-desc">)"
      R"(<title id="{}-title">{}</title><desc id="{}-desc">{}</desc>{}</svg>)",
      pixel(kWidth), pixel(kHeight), chart.id, chart.id, chart.id, escape(chart.title), chart.id,
      escape(chart.description), body);
  return svg + "\n" + key_of(chart);
}

}  // namespace sinkproof::report
