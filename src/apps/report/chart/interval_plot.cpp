#include "report/chart/interval_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>

#include "report/bound_text.hpp"
#include "report/chart/axis.hpp"
#include "report/chart/svg_text.hpp"
#include "rounded/decimal.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Rational;
using text::escape;

// A row is a line of words, its name and its numbers, over its interval: a plot fits the narrowest
// telephone with its text at reading size, and two fit side by side on a desk.
constexpr int kWidth = 330;
constexpr int kAxisLeft = 2;
constexpr int kAxisRight = 314;
constexpr int kRowHeight = 44;
constexpr int kWordsAbove = 15;
constexpr unsigned kRangeDigits = 5;  // of a row's numbers, beside a long name
constexpr std::size_t kLine = 44;     // bytes of a name and its numbers that fit on a line
constexpr int kTop = 4;
constexpr int kBelow = 44;  // of the ticks' labels and the axis's title

constexpr const char* kSides = "one end is proved for all inputs, the other is attained.";

struct Tick {
  double x;
  std::string label;  // markup
};

struct Axis {
  std::function<double(const Rational&)> x;
  std::vector<Tick> ticks;
  std::string title;  // beneath the ticks, as text
};

std::string pixel(double x) { return fmt::format("{:.1f}", x); }

double share_to_x(double left, double share) {
  return left + std::clamp(share, 0.0, 1.0) * (kAxisRight - left);
}

// Outward: to the left of a lower bound, to the right of an upper one.
int direction(Side side) { return side == Side::kLower ? -1 : 1; }

// Shapes that come to a value from different sides, so that both can be told apart on a tight
// bound.
std::string attained_shape(double x, double y, Side side) {
  return fmt::format(R"(<path class="attained" d="M{} {}l{} -5v10z"/>)", pixel(x), pixel(y),
                     9 * direction(side));
}

std::string proved_shape(double x, double y, Side side) {
  return fmt::format(R"(<path class="proved" d="M{} {}h{}v14h{}"/>)",
                     pixel(x - 4 * direction(side)), pixel(y - 7), 4 * direction(side),
                     -4 * direction(side));
}

std::string implied_shape(double x, double y) {
  return fmt::format(R"(<path class="implied" d="M{} {}l6 6 -6 6 -6 -6z"/>)", pixel(x),
                     pixel(y - 6));
}

std::string row_label(const std::string& name, double y) {
  return fmt::format(R"(<text class="name" x="{}" y="{}">{}</text>)", kAxisLeft,
                     pixel(y - kWordsAbove), escape(name));
}

std::string row_numbers(const std::string& text, double y) {
  return fmt::format(R"(<text class="num" x="{}" y="{}" text-anchor="end">{}</text>)", kWidth - 2,
                     pixel(y - kWordsAbove), text);
}

std::string span_line(double from, double to, double y) {
  return fmt::format(R"(<path class="span" d="M{} {}H{}"/>)", pixel(from), pixel(y), pixel(to));
}

std::string outward(const Rational& lower, const Rational& upper) {
  return fmt::format("{} … {}", rounded::decimal_down(lower, kRangeDigits),
                     rounded::decimal_up(upper, kRangeDigits));
}

std::string bound_row(const Bound& bound, const Axis& axis, double y) {
  const double from = axis.x(bound.lower);
  const double to = axis.x(bound.upper);
  const std::string shapes =
      bound.is_floor ? proved_shape(from, y, Side::kLower) + attained_shape(to, y, Side::kUpper)
                     : attained_shape(from, y, Side::kLower) + proved_shape(to, y, Side::kUpper);
  const std::string numbers = fmt::format("{} … {}", down(bound.lower), up(bound.upper));
  return row_label(bound.name, y) + span_line(from, to, y) + shapes +
         row_numbers(numbers.size() + bound.name.size() <= kLine
                         ? numbers
                         : outward(bound.lower, bound.upper),
                     y);
}

// What is proved on both sides.
std::string range_row(const NamedInterval& range, const Axis& axis, double y) {
  const double from = axis.x(range.lower);
  const double to = axis.x(range.upper);
  return row_label(range.name, y) + span_line(from, to, y) + proved_shape(from, y, Side::kLower) +
         proved_shape(to, y, Side::kUpper) + row_numbers(outward(range.lower, range.upper), y);
}

// On an axis, what is less than a pixel from 0 or 1 lies there.
double on_axis(const Rational& value) {
  constexpr double kPixel = 1e-3;
  const double exact = drawable(value);
  for (const double end : {0.0, 1.0}) {
    if (std::abs(exact - end) < kPixel) return end;
  }
  return exact;
}

std::string theorem_row(const Theorem& theorem, const Axis& axis, double y) {
  const double implied = axis.x(*theorem.implied);
  const double certified = axis.x(*theorem.certified);
  return row_label(theorem.name, y) +
         fmt::format(R"(<path class="link" d="M{} {}H{}"/>)", pixel(implied), pixel(y),
                     pixel(certified)) +
         implied_shape(implied, y) + proved_shape(certified, y, Side::kLower) +
         row_numbers(fmt::format("{} → {}", down(*theorem.implied), down(*theorem.certified)), y);
}

std::string grid(const Axis& axis, double bottom) {
  std::string lines;
  for (const Tick& tick : axis.ticks) {
    lines +=
        fmt::format(R"(<path class="grid" d="M{0} {1}V{2}"/>)", pixel(tick.x), kTop, pixel(bottom));
    lines += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", pixel(tick.x),
                         pixel(bottom + 16), tick.label);
  }
  return lines + fmt::format(R"(<text class="name" x="{}" y="{}" text-anchor="end">{}</text>)",
                             kAxisRight, pixel(bottom + 36), escape(axis.title));
}

std::string plot(const SvgText& text, std::size_t rows, const Axis& axis, const std::string& body) {
  const double bottom = kTop + kRowHeight * static_cast<double>(rows);
  return fmt::format(R"(<svg class="plot" viewBox="0 0 {} {}"{}>{}{}{}</svg>)"
                     "\n",
                     kWidth, pixel(bottom + kBelow), svg_role(text), svg_words(text),
                     grid(axis, bottom), body);
}

std::string spoken(const std::string& name, const Rational& lower, const Rational& upper) {
  return fmt::format("{} from {} to {}; ", name, down(lower), up(upper));
}

double middle(std::size_t row) { return kTop + kRowHeight * (static_cast<double>(row) + 0.68); }

// ---- logarithmic

struct Decades {
  int lowest = -3;
  int highest = 0;
};

// log10 of a positive number of any size.
double log10_estimate(const Rational& value) {
  const auto log2 = [](const exact::Integer& number) {
    long exponent = 0;
    const double mantissa = mpz_get_d_2exp(&exponent, number.backend().data());
    return std::log2(mantissa) + static_cast<double>(exponent);
  };
  return (log2(boost::multiprecision::numerator(value)) -
          log2(boost::multiprecision::denominator(value))) *
         std::log10(2.0);
}

Decades decades_of(const std::vector<Bound>& bounds) {
  bool any = false;
  Decades decades;
  for (const Bound& bound : bounds) {
    for (const Rational* value : {&bound.lower, &bound.upper}) {
      if (*value <= 0) continue;
      const double log = log10_estimate(*value);
      const int below = static_cast<int>(std::floor(log));
      const int above = static_cast<int>(std::ceil(log));
      decades.lowest = any ? std::min(decades.lowest, below) : below;
      decades.highest = any ? std::max(decades.highest, above) : above;
      any = true;
    }
  }
  if (decades.highest == decades.lowest) ++decades.highest;
  return decades;
}

Axis log_axis(const std::vector<Bound>& bounds) {
  const Decades decades = decades_of(bounds);
  const bool zero = std::any_of(bounds.begin(), bounds.end(),
                                [](const Bound& bound) { return bound.lower == 0; });
  const double left = kAxisLeft + (zero ? 60 : 14);
  const double span = decades.highest - decades.lowest;
  Axis axis;
  axis.title = "loss, logarithmic";
  axis.x = [=](const Rational& value) {
    if (value <= 0) return kAxisLeft + 10.0;
    return share_to_x(left, (log10_estimate(value) - decades.lowest) / span);
  };
  if (zero) axis.ticks.push_back({kAxisLeft + 10.0, "0"});
  const int step = std::max(1, (decades.highest - decades.lowest + 7) / 8);
  for (int decade = decades.lowest; decade <= decades.highest; decade += step) {
    axis.ticks.push_back({share_to_x(left, (decade - decades.lowest) / span),
                          fmt::format(R"(10<tspan dy="-5" class="sup">{}</tspan>)", decade)});
  }
  return axis;
}

// ---- linear

Range range_of(const std::vector<double>& values) {
  const double least = *std::min_element(values.begin(), values.end());
  const double most = std::max(1.0, *std::max_element(values.begin(), values.end()));
  if (least < 0) {
    // Ticks at multiples of one step, so that 0 is among them.
    const double step = round_up_nicely(most / 7 - least / 7);
    const double below = std::ceil(-least / step);
    const double above = std::ceil(most / step);
    return {-below * step, above * step, static_cast<int>(below + above)};
  }
  const double high = most > 1 ? round_up_nicely(most) : 1;
  const bool near_one = most <= 1 && least >= 0.5 && least < 1;
  return {near_one ? 1 - round_up_nicely(1 - least) : 0, high, 5};
}

Axis linear_axis(const Range& range, const std::string& title) {
  constexpr double kHalfCharacter = 3.7;  // of the first label, which stays within the plot
  const double left =
      kAxisLeft + std::max(10.0, kHalfCharacter * static_cast<double>(tick_label(range, 0).size()));
  Axis axis;
  axis.title = title;
  axis.x = [=](const Rational& value) {
    return share_to_x(left, (drawable(value) - range.low) / (range.high - range.low));
  };
  for (int i = 0; i <= range.steps; ++i) {
    axis.ticks.push_back(
        {share_to_x(left, i / static_cast<double>(range.steps)), tick_label(range, i)});
  }
  return axis;
}

std::string shape_sign(const std::string& shape) {
  return R"(<svg class="sign" viewBox="0 0 14 16" aria-hidden="true">)" + shape + "</svg>";
}

}  // namespace

std::string loss_plot(const std::vector<Bound>& bounds) {
  std::vector<Bound> losses;
  std::copy_if(bounds.begin(), bounds.end(), std::back_inserter(losses),
               [](const Bound& bound) { return bound.is_loss; });
  if (losses.empty()) return "";
  const Axis axis = log_axis(losses);
  std::string body;
  SvgText text{"Bounds on the loss", "Intervals on a logarithmic axis: "};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    body += bound_row(losses[i], axis, middle(i));
    text.description += spoken(losses[i].name, losses[i].lower, losses[i].upper);
  }
  text.description += kSides;
  return plot(text, losses.size(), axis, body);
}

namespace {

// The rows of a plot on a linear axis, the values that have to be on it, and its words.
struct Rows {
  std::vector<std::function<std::string(const Axis&, double)>> drawn;
  std::vector<double> values;
  std::string spoken;
};

void add_bounds(Rows& rows, Paid paid, const std::vector<Bound>& bounds) {
  for (const Bound& bound : bounds) {
    if (bound.is_loss || bound.paid != paid) continue;
    rows.spoken += spoken(bound.name, bound.lower, bound.upper);
    rows.values.push_back(drawable(bound.lower));
    rows.values.push_back(drawable(bound.upper));
    rows.drawn.emplace_back(
        [&bound](const Axis& axis, double y) { return bound_row(bound, axis, y); });
  }
}

void add_theorems(Rows& rows, Paid paid, const std::vector<Theorem>& theorems) {
  for (const Theorem& theorem : theorems) {
    if (!theorem.implied || theorem.sampling || theorem.paid != paid) continue;
    rows.spoken += fmt::format("{} implies at least {}, certified at least {}; ", theorem.name,
                               down(*theorem.implied), down(*theorem.certified));
    rows.values.push_back(drawable(*theorem.implied));
    rows.values.push_back(drawable(*theorem.certified));
    rows.drawn.emplace_back(
        [&theorem](const Axis& axis, double y) { return theorem_row(theorem, axis, y); });
  }
}

std::string linear_plot(const std::string& title, const std::string& quantity, const Rows& rows,
                        const std::string& sides) {
  if (rows.drawn.empty()) return "";
  const Axis axis = linear_axis(range_of(rows.values), quantity);
  std::string body;
  for (std::size_t i = 0; i < rows.drawn.size(); ++i) body += rows.drawn[i](axis, middle(i));
  return plot({title, "On a linear axis: " + rows.spoken + sides}, rows.drawn.size(), axis, body);
}

// How much of attention an axis for these values shows.
double extent(const Rows& rows) {
  const Range range = range_of(rows.values);
  return range.high - range.low;
}

}  // namespace

std::string paid_plot(Paid paid, const std::vector<Bound>& bounds,
                      const std::vector<Theorem>& theorems) {
  static const std::map<Paid, std::string> quantities = {
      {Paid::kBos, "BOS attention"},
      {Paid::kNull, "attention on the null slot"},
      {Paid::kRollout, "the rollout on BOS"}};
  const std::string& quantity = quantities.at(paid);
  Rows all;
  Rows own;
  add_bounds(all, paid, bounds);
  add_theorems(own, paid, theorems);
  const bool beside = !all.drawn.empty() && !own.drawn.empty() && extent(own) < extent(all);
  std::string text;
  if (beside) {
    text = linear_plot("Floors that theorems imply, beside the certified ones", quantity, own,
                       "an axis of their own.");
  } else {
    add_theorems(all, paid, theorems);
  }
  return linear_plot("Bounds on " + quantity, quantity, all, kSides) + text;
}

std::string interval_plot(const std::string& title, const std::string& quantity,
                          const std::vector<NamedInterval>& intervals) {
  if (intervals.empty()) return "";
  std::vector<double> values;
  values.reserve(intervals.size());
  for (const NamedInterval& interval : intervals) values.push_back(drawable(interval.upper));
  const Axis axis = linear_axis(range_around(values, true), quantity);
  SvgText text{title, "Intervals on a linear axis from 0: "};
  std::string body;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    text.description += spoken(intervals[i].name, intervals[i].lower, intervals[i].upper);
    Bound bound;
    bound.name = intervals[i].name;
    bound.lower = intervals[i].lower;
    bound.upper = intervals[i].upper;
    bound.is_floor = true;
    body += bound_row(bound, axis, middle(i));
  }
  text.description += kSides;
  return plot(text, intervals.size(), axis, body);
}

std::string range_plot(const std::string& title, const std::string& quantity,
                       const std::vector<NamedInterval>& intervals) {
  Rows rows;
  for (const NamedInterval& one : intervals) {
    rows.spoken += spoken(one.name, one.lower, one.upper);
    rows.values.push_back(on_axis(one.lower));
    rows.values.push_back(on_axis(one.upper));
    rows.drawn.emplace_back([&one](const Axis& axis, double y) { return range_row(one, axis, y); });
  }
  return linear_plot(title, quantity, rows, "both ends are proved for all inputs.");
}

std::string range_key() {
  return fmt::format(
      "<p class=\"key\"><span>{}{} least and greatest, proved for all sequences</span></p>\n",
      proved_sign(Side::kLower), proved_sign(Side::kUpper));
}

std::string plot_key(bool implied) {
  std::string text = fmt::format(R"(<p class="key"><span>{}{} attained by an exact input</span>)"
                                 "<span>{}{} proved for all inputs</span>",
                                 attained_sign(Side::kLower), attained_sign(Side::kUpper),
                                 proved_sign(Side::kLower), proved_sign(Side::kUpper));
  if (implied) text += fmt::format("<span>{} floor that a theorem implies</span>", implied_sign());
  return text + "</p>\n";
}

std::string attained_sign(Side side) {
  return shape_sign(attained_shape(side == Side::kLower ? 11 : 2, 8, side));
}
std::string proved_sign(Side side) {
  return shape_sign(proved_shape(side == Side::kLower ? 4 : 9, 8, side));
}
std::string implied_sign() { return shape_sign(implied_shape(7, 8)); }

}  // namespace sinkproof::report
