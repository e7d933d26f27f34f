#include "report/chart/xy_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/axis.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

constexpr double kLeft = 66;
constexpr double kRight = 18;
constexpr double kTop = 34;
constexpr double kBottom = 46;

struct Size {
  double width;
  double height;
};

Size size_of(const Chart& chart) { return chart.wide ? Size{900, 380} : Size{450, 270}; }

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

// Where values lie.
class Plane {
 public:
  explicit Plane(const Chart& chart) : size_(size_of(chart)) {
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
    y_ = range_around(ys, chart.y_from_zero);
  }

  [[nodiscard]] bool empty() const { return empty_; }
  [[nodiscard]] const Size& size() const { return size_; }
  [[nodiscard]] double x(const exact::Rational& value) const { return x_of(drawable(value)); }
  [[nodiscard]] double y(const exact::Rational& value) const { return y_of(drawable(value)); }

  [[nodiscard]] std::string grid() const {
    std::string lines;
    for (int i = 0; i <= x_.steps; ++i) {
      const double at = x_of(tick_value(x_, i));
      lines += fmt::format(R"(<path class="grid" d="M{} {}V{}"/>)", pixel(at), pixel(kTop),
                           pixel(size_.height - kBottom));
      lines += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", pixel(at),
                           pixel(size_.height - kBottom + 18), tick_label(x_, i));
    }
    for (int i = 0; i <= y_.steps; ++i) {
      const double at = y_of(tick_value(y_, i));
      lines += fmt::format(R"(<path class="grid" d="M{} {}H{}"/>)", pixel(kLeft), pixel(at),
                           pixel(size_.width - kRight));
      lines += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", pixel(kLeft - 8),
                           pixel(at + 4), tick_label(y_, i));
    }
    return lines;
  }

 private:
  [[nodiscard]] double x_of(double value) const {
    return kLeft + share(x_, value) * (size_.width - kRight - kLeft);
  }
  [[nodiscard]] double y_of(double value) const {
    return size_.height - kBottom - share(y_, value) * (size_.height - kBottom - kTop);
  }
  static double share(const Range& range, double value) {
    return std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
  }

  Size size_;
  bool empty_ = true;
  Range x_;
  Range y_;
};

std::string labels(const Chart& chart, const Plane& plane) {
  return fmt::format(R"(<text class="name" x="{}" y="16">{}</text>)"
                     R"(<text class="name" x="{}" y="{}" text-anchor="end">{}</text>)",
                     pixel(10), escape(chart.y_label), pixel(plane.size().width - kRight),
                     pixel(plane.size().height - 6), escape(chart.x_label));
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
  return key + "</p>\n";
}

}  // namespace

std::string xy_chart(const Chart& chart) {
  const Plane plane(chart);
  if (plane.empty()) return "";
  std::string body = plane.grid() + labels(chart, plane);
  for (const Curve& curve : chart.curves) body += drawn(curve, plane);
  for (const Bars& bars : chart.bars) body += drawn(bars, plane);
  const std::string svg = fmt::format(
      R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-desc">)"
      R"(<title id="{}-title">{}</title><desc id="{}-desc">{}</desc>{}</svg>)",
      pixel(plane.size().width), pixel(plane.size().height), chart.id, chart.id, chart.id,
      escape(chart.title), chart.id, escape(chart.description), body);
  // On a narrow page a wide chart is scrolled rather than shrunk.
  return (chart.wide ? fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                                   "aria-label=\"{}\">{}</div>\n",
                                   escape(chart.title), svg)
                     : svg + "\n") +
         key_of(chart);
}

}  // namespace sinkproof::report
