#include "report/colour_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sinkproof::report {
namespace {

struct Rgb {
  double red;
  double green;
  double blue;
};

// Ten evenly spaced colours of matplotlib's viridis.
constexpr std::array<Rgb, 10> kViridis = {{{68, 1, 84},
                                           {72, 40, 120},
                                           {62, 73, 137},
                                           {49, 104, 142},
                                           {38, 130, 142},
                                           {31, 158, 137},
                                           {53, 183, 121},
                                           {110, 206, 88},
                                           {181, 222, 43},
                                           {253, 231, 37}}};

std::string hex_colour(double share) {
  const double place = share * static_cast<double>(kViridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  const double part = place - static_cast<double>(below);
  const Rgb& a = kViridis[below];
  const Rgb& b = kViridis[below + 1];
  const auto mix = [part](double from, double to) {
    return std::lround(from + part * (to - from));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green),
                     mix(a.blue, b.blue));
}

constexpr int kBarLeft = 18;
constexpr int kStep = 8;  // width of one level

std::string decade_tick(const ColourScale& scale, int decade) {
  const int x = kBarLeft + decade * kLevels / kDecades * kStep;
  return fmt::format(R"(<path class="tick" d="M{0} 16v4"/><text x="{0}" y="32" )"
                     R"(text-anchor="middle">10<tspan dy="-4" class="sup">{1}</tspan></text>)",
                     x, scale.top - kDecades + decade);
}

}  // namespace

ColourScale scale_for(double largest) {
  if (largest <= 1) return {0};
  return {static_cast<int>(std::ceil(std::log10(largest)))};
}

int level(const ColourScale& scale, double magnitude) {
  const double decades = std::log10(magnitude) - (scale.top - kDecades);
  return std::clamp(static_cast<int>(std::floor(decades / kDecades * kLevels)), 0, kLevels - 1);
}

std::string colour_class(const ColourScale& scale, double weight) {
  return weight == 0 ? "z" : fmt::format("c{}", level(scale, std::abs(weight)));
}

std::string colour_rules() {
  std::string rules;
  for (int i = 0; i < kLevels; ++i) {
    rules += fmt::format(".c{}{{fill:{}}}", i, hex_colour(i / (kLevels - 1.0)));
  }
  return rules + "\n";
}

std::string minus_bar(int x, int y, int cell) {
  return fmt::format("M{} {}h{}", x + cell / 5.0, y + cell / 2.0, cell * 3 / 5.0);
}

std::string legend(const ColourScale& scale, bool negative) {
  constexpr int kBarWidth = kLevels * kStep;
  constexpr int kZeroLeft = kBarLeft + kBarWidth + 26;
  constexpr int kMinusLeft = kZeroLeft + 66;
  std::string svg = fmt::format(
      R"(<svg class="legend" viewBox="0 0 {0} 36" width="{0}" height="36" role="img" )"
      R"(aria-label="Colour scale of attention weights{3}, logarithmic from 10 to the power {1} )"
      R"(to 10 to the power {2}; pale cells with a dotted edge are exactly 0{4}">)",
      negative ? kMinusLeft + 86 : kZeroLeft + 72, scale.top - kDecades, scale.top,
      negative ? " by their magnitude" : "", negative ? ", cells with a bar are negative" : "");
  for (int i = 0; i < kLevels; ++i) {
    svg += fmt::format(R"(<path class="c{}" d="M{} 2h{}v14h-{}z"/>)", i, kBarLeft + i * kStep,
                       kStep, kStep);
  }
  for (int decade = 0; decade <= kDecades; ++decade) svg += decade_tick(scale, decade);
  svg += fmt::format(R"(<path class="z" d="M{} 2h14v14h-14z"/><text x="{}" y="13.5">zero</text>)",
                     kZeroLeft, kZeroLeft + 20);
  if (negative) {
    const std::string bar = minus_bar(kMinusLeft, 2, 14);
    svg += fmt::format(R"(<path class="c18" d="M{0} 2h14v14h-14z"/><path class="minus" d="{1}"/>)"
                       R"(<path class="minus in" d="{1}"/><text x="{2}" y="13.5">negative</text>)",
                       kMinusLeft, bar, kMinusLeft + 20);
  }
  return svg + "</svg>";
}

}  // namespace sinkproof::report
