#include "report/chart/xy_chart.hpp"

#include <catch2/catch.hpp>
#include <regex>

#include "markup.hpp"
#include "report/chart/axis.hpp"

using namespace sinkproof::report;
using sinkproof::exact::make_rational;
using sinkproof::exact::Rational;

namespace {

// What a pattern's groups hold, as numbers, match after match.
std::vector<std::vector<double>> numbers(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::vector<double>> found;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) {
    found.emplace_back();
    for (std::size_t i = 1; i < at->size(); ++i) found.back().push_back(std::stod((*at)[i]));
  }
  return found;
}

// The place on an axis of a value, from the ticks with these two labels.
double place(const std::string& svg, bool horizontal, double value, const std::string& a,
             const std::string& b) {
  const std::string anchor = horizontal ? "middle" : "end";
  const auto tick = [&](const std::string& label) {
    const auto at = numbers(
        svg, "<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" text-anchor=\"" + anchor + "\">" + label + "<");
    REQUIRE(at.size() == 1);
    return horizontal ? at[0][0] : at[0][1] - 4;
  };
  const double low = std::stod(a);
  const double high = std::stod(b);
  return tick(a) + (value - low) / (high - low) * (tick(b) - tick(a));
}

Chart chart() {
  Chart chart;
  chart.id = "c";
  chart.title = "T < U";
  chart.description = "D & E";
  chart.x_label = "rank";
  chart.y_label = "cost";
  chart.bars = {{"sink", Look::kSink, {{2, 10, 12}, {4, 20, 30}}},
                {"diagonal", Look::kDiagonal, {{2, 40, 44}}}};
  chart.curves = {{"above", Look::kSink, Stroke::kDashed, {{2, 15, 15}, {4, 30, 30}}}};
  return chart;
}

}  // namespace

TEST_CASE("Ranges end at ticks that are easy to read") {
  const Range cost = range_around({3, 44}, true);
  CHECK(cost.low == 0);
  CHECK(cost.high == 50);
  CHECK(cost.steps == 5);
  const Range cosine = range_around({0.981, 0.9932}, false);
  CHECK(cosine.low == Approx(0.98));
  CHECK(cosine.high == Approx(0.995));
  CHECK(tick_label(cosine, 1) == "0.985");
  const Range signs = range_around({-3, 2}, true);
  CHECK(signs.low == Approx(-3));
  CHECK(signs.high == Approx(2));
  CHECK(tick_value(signs, 3) == 0);
  const Range point = range_around({7, 7}, false);
  CHECK(point.low < 7);
  CHECK(point.high > 7);
  const Range zero = range_around({0}, true);
  CHECK(zero.low < zero.high);
  CHECK(std::isfinite(zero.high));
  CHECK(zero.high == 1);
}

TEST_CASE("An axis of whole numbers has no ticks between them") {
  Chart layers = chart();
  layers.bars.clear();
  layers.curves = {{"above", Look::kSink, Stroke::kSolid, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}}}};
  const auto ticks = [&] { return numbers(xy_chart(layers), "text-anchor=\"middle\">([0-9.]+)<"); };
  CHECK(ticks() == std::vector<std::vector<double>>{{0}, {1}, {2}});
  layers.curves[0].points[1].x = make_rational(1, 2);
  CHECK(ticks().size() == 5);
}

TEST_CASE("Bars stand from the lower to the upper end, at their place") {
  const std::string svg = xy_chart(chart());
  const auto whiskers = numbers(
      svg, "class=\"whisker [a-z-]+\" d=\"M([0-9.]+) ([0-9.]+)h14M([0-9.]+) [0-9.]+V([0-9.]+)M");
  REQUIRE(whiskers.size() == 3);
  CHECK(whiskers[1][2] == Approx(place(svg, true, 4, "0", "2")).margin(0.11));
  CHECK(whiskers[1][0] == Approx(whiskers[1][2] - 7).margin(0.11));
  CHECK(whiskers[1][1] == Approx(place(svg, false, 20, "0", "50")).margin(0.11));
  CHECK(whiskers[1][3] == Approx(place(svg, false, 30, "0", "50")).margin(0.11));
  CHECK(whiskers[2][3] == Approx(place(svg, false, 44, "0", "50")).margin(0.11));
  const auto line =
      numbers(svg, "class=\"curve of-sink dashed\" d=\"M[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)\"");
  REQUIRE(line.size() == 1);
  CHECK(line[0][0] == Approx(place(svg, false, 15, "0", "50")).margin(0.11));
  CHECK(line[0][1] == Approx(place(svg, false, 30, "0", "50")).margin(0.11));
}

TEST_CASE("Sink and diagonal differ in colour and in shape, and the key shows both") {
  const std::string svg = xy_chart(chart());
  CHECK(numbers(svg, "<circle class=\"mark of-sink\" cx=\"([0-9.]+)\"").size() == 3);
  CHECK(
      numbers(svg, "class=\"mark of-diagonal\" d=\"M([0-9.]+) [0-9.]+l6 6 -6 6 -6 -6z\"").size() ==
      2);
  CHECK(svg.find("aria-hidden=\"true\"") != std::string::npos);
  CHECK(svg.find("</svg>above</span>") != std::string::npos);
}

TEST_CASE("A chart says in words what it shows, and its words cannot become markup") {
  const std::string svg = xy_chart(chart());
  CHECK(svg.find("aria-labelledby=\"c-title c-desc\"") != std::string::npos);
  CHECK(svg.find("<title id=\"c-title\">T &lt; U</title>") != std::string::npos);
  CHECK(svg.find("<desc id=\"c-desc\">D &amp; E</desc>") != std::string::npos);
  const std::string page = "<!DOCTYPE html>\n<html><body>" + svg + "</body></html>";
  CHECK(test::first_fault(page).empty());
}

TEST_CASE("A curve between two bounds is a band") {
  Chart band;
  band.id = "b";
  band.curves = {{"", Look::kPlain, Stroke::kSolid, {{0, 1, 2}, {1, 3, 5}}}};
  const std::string svg = xy_chart(band);
  const auto corners = numbers(svg,
                               "class=\"curve of-plain\" d=\"M[0-9.]+ ([0-9.]+)L[0-9.]+ "
                               "([0-9.]+)L[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)z\"");
  REQUIRE(corners.size() == 1);
  const std::vector<double> values = {1, 3, 5, 2};
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(corners[0][i] == Approx(place(svg, false, values[i], "0", "5")).margin(0.11));
  }
}

TEST_CASE("Nothing to draw, and numbers beyond every double") {
  CHECK(xy_chart({}).empty());
  const Rational huge = sinkproof::exact::power_of_two(40000);
  Chart wide = chart();
  wide.bars[0].intervals.push_back({huge, 1 / huge, huge});
  const std::string svg = xy_chart(wide);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE(
    "A logarithmic chart has a tick for each decade, and what is not positive at the bottom") {
  Chart one = chart();
  one.bars = {{"sink",
               Look::kSink,
               {{1, 0, 0}, {2, make_rational(1, 100), make_rational(1, 100)}, {3, 1000, 1000}}}};
  one.curves.clear();
  one.y_from_zero = false;
  one.y_logarithmic = true;
  const std::string svg = xy_chart(one);
  const auto labels = numbers(svg, "text-anchor=\"end\">1e(-?[0-9]+)<");
  REQUIRE(labels.size() == 6);
  CHECK(labels.front()[0] == -2);
  CHECK(labels.back()[0] == 3);
  const auto marks =
      numbers(svg, "<circle class=\"mark of-sink\" cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  REQUIRE(marks.size() >= 3);
  CHECK(marks[0][1] == marks[1][1]);  // 0 is where the least is
  CHECK(marks[2][1] < marks[1][1]);
}
