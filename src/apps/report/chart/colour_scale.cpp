#include "report/chart/colour_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "report/chart/axis.hpp"
#include "report/chart/svg_text.hpp"

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
constexpr int kBarWidth = kLevels * kStep;
constexpr int kZeroLeft = kBarLeft + kBarWidth + 26;
constexpr int kMinusLeft = kZeroLeft + 66;

std::string tick(const BarTick& at) {
  const int x = kBarLeft + static_cast<int>(std::lround(at.place * kBarWidth));
  return fmt::format(R"(<path class="tick" d="M{0} 16v4"/><text x="{0}" y="32" )"
                     R"(text-anchor="middle">{1}</text>)",
                     x, at.label);
}

std::vector<BarTick> log_ticks(const ColourScale& scale) {
  std::vector<BarTick> ticks;
  for (int decade = 0; decade <= kDecades; ++decade) {
    ticks.push_back({decade / static_cast<double>(kDecades),
                     power_of_ten_label(scale.top - kDecades + decade)});
  }
  return ticks;
}

// Where the share of the largest weight is on the bar, from 0 to 1.
double place_of(const ColourScale& scale, double share) {
  return std::pow(share, 1.0 / scale.root);
}

// Of round shares those whose labels do not touch.
std::vector<BarTick> linear_ticks(const ColourScale& scale) {
  constexpr int kRoom = 32;
  std::vector<BarTick> ticks;
  int last = -kRoom;
  for (const double share : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 1.0}) {
    const double place = place_of(scale, share);
    const int x = static_cast<int>(std::lround(place * kBarWidth));
    if (share < 1 && (x - last < kRoom || kBarWidth - x < kRoom)) continue;
    ticks.push_back({place, fmt::format("{:.4g}", scale.largest * share)});
    last = x;
  }
  return ticks;
}

// What the scale from 0 is called.
std::string root_name(int root) {
  static constexpr std::array<const char*, kLargestRoot> kNames = {"linear", "square root",
                                                                   "cube root", "fourth root"};
  return kNames.at(static_cast<std::size_t>(root) - 1);
}

std::string looks(bool negative) {
  std::string svg =
      fmt::format(R"(<path class="z" d="M{} 2h14v14h-14z"/><text x="{}" y="13.5">zero</text>)",
                  kZeroLeft, kZeroLeft + 20);
  if (!negative) return svg;
  const std::string bar = minus_bar(kMinusLeft, 2, 14);
  return svg +
         fmt::format(R"(<path class="n18 g18" d="M{0} 2h14v14h-14z"/><path class="minus" d="{1}"/>)"
                     R"(<path class="minus in" d="{1}"/><text x="{2}" y="13.5">negative</text>)",
                     kMinusLeft, bar, kMinusLeft + 20);
}

}  // namespace

ColourScale scale_for(double largest) { return tight_scale(std::max(largest, 1.0)); }

ColourScale scale_for(double largest, double faintest) {
  constexpr double kSeen = 0.2;  // of the bar
  ColourScale scale = scale_for(largest);
  while (scale.root < kLargestRoot && place_of(scale, faintest / scale.largest) < kSeen) {
    ++scale.root;
  }
  return scale;
}

ColourScale tight_scale(double largest) {
  if (largest == 0 || largest == 1) return {1, 0, 1};
  return {round_up_nicely(largest), static_cast<int>(std::ceil(std::log10(largest))), 1};
}

int linear_level(const ColourScale& scale, double magnitude) {
  const double place = place_of(scale, magnitude / scale.largest);
  return std::clamp(static_cast<int>(std::floor(place * kLevels)), 0, kLevels - 1);
}

int log_level(const ColourScale& scale, double magnitude) {
  const double decades = std::log10(magnitude) - (scale.top - kDecades);
  return std::clamp(static_cast<int>(std::floor(decades / kDecades * kLevels)), 0, kLevels - 1);
}

std::string level_colour(int level) { return hex_colour(level / (kLevels - 1.0)); }

std::string colour_class(const ColourScale& scale, double weight) {
  const double magnitude = std::abs(weight);
  return weight == 0
             ? "z"
             : fmt::format("n{} g{}", linear_level(scale, magnitude), log_level(scale, magnitude));
}

std::string colour_rules() {
  std::string rules;
  for (int i = 0; i < kLevels; ++i) {
    rules += fmt::format(".n{0},.log .g{0}{{fill:{1}}}\n", i, level_colour(i));
  }
  return rules;
}

std::string minus_bar(int x, int y, int cell) {
  return fmt::format("M{} {}h{}", x + cell / 5.0, y + cell / 2.0, cell * 3 / 5.0);
}

std::string power_of_ten_label(int exponent) {
  return fmt::format(R"(10<tspan dy="-4" class="sup">{}</tspan>)", exponent);
}

// Both kinds of class name the same colour, so that the bar keeps its colours whichever scale is
// on.
std::string colour_bar(const ColourBar& bar) {
  std::string svg = fmt::format(
      R"(<svg class="legend{0}" data-root="{4}" viewBox="0 0 {1} 36" width="{1}" height="36"{2}>{3})",
      bar.css, bar.negative ? kMinusLeft + 86 : kZeroLeft + 72, svg_role(bar.text),
      svg_words(bar.text), bar.root);
  for (int i = 0; i < kLevels; ++i) {
    svg += fmt::format(R"(<path class="n{0} g{0}" d="M{1} 2h{2}v14h-{2}z"/>)", i,
                       kBarLeft + i * kStep, kStep);
  }
  for (const BarTick& at : bar.ticks) svg += tick(at);
  return svg + looks(bar.negative) + "</svg>";
}

std::string legends(const ColourScale& scale, bool negative) {
  const std::string looks_words =
      fmt::format("Pale cells with a dotted edge are exactly 0{}.",
                  negative ? "; cells with a bar are negative, coloured by their magnitude" : "");
  const SvgText linear{
      "Colour bar of attention weights, " + root_name(scale.root),
      fmt::format("From dark at 0 to bright at {:.4g}. {}", scale.largest, looks_words)};
  const SvgText log{
      "Colour bar of attention weights, logarithmic",
      fmt::format("From dark at 10 to the power {} to bright at 10 to the power {}. {}",
                  scale.top - kDecades, scale.top, looks_words)};
  return colour_bar({" linear", linear_ticks(scale), negative, linear, scale.root}) +
         colour_bar({" log", log_ticks(scale), negative, log, scale.root}) + "\n";
}

}  // namespace sinkproof::report
