#include "report/chart/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rounded/double.hpp"

namespace sinkproof::report {

double drawable(const exact::Rational& value) {
  return std::clamp(rounded::to_double_estimate(value), -1e300, 1e300);
}

double round_up_nicely(double value) {
  constexpr double kSlack = 1 - 1e-9;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * kSlack) return factor * power;
  }
  return 10 * power;
}

Range range_around(const std::vector<double>& values, bool from_zero) {
  constexpr double kSteps = 6;
  constexpr double kLeast = 1e-300;
  double least = *std::min_element(values.begin(), values.end());
  double most = *std::max_element(values.begin(), values.end());
  if (from_zero) {
    least = std::min(least, 0.0);
    most = std::max(most, 0.0);
    if (least == 0 && most == 0) most = 1;
  }
  if (most - least < 1e-9 * std::max(std::abs(least), std::abs(most)) + kLeast) {
    least -= std::max(std::abs(least) / 10, kLeast);
    most += std::max(std::abs(most) / 10, kLeast);
  }
  const double step = round_up_nicely(most / kSteps - least / kSteps);
  const double slack = 1e-9;  // in steps: a value on a tick stays there
  const double below = std::floor(least / step + slack);
  const double above = std::ceil(most / step - slack);
  return {below * step, above * step, std::max(1, static_cast<int>(above - below))};
}

void in_whole_numbers(Range& range) {
  range.low = std::floor(range.low);
  range.high = std::max(std::ceil(range.high), range.low + 1);
  range.steps = static_cast<int>(range.high - range.low);
}

double tick_value(const Range& range, int tick) {
  const double value = range.low + (range.high - range.low) * tick / range.steps;
  // 0, but for rounding.
  return std::abs(value) < 1e-9 * (range.high - range.low) ? 0 : value;
}

std::string tick_label(const Range& range, int tick) {
  return fmt::format("{:.6g}", tick_value(range, tick));
}

}  // namespace sinkproof::report
