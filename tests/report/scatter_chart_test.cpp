#include "report/chart/scatter_chart.hpp"

#include <catch2/catch.hpp>
#include <regex>

namespace sinkproof::report {
namespace {

// Where the marks stand, those of the key left out.
std::vector<std::pair<double, double>> marks(const std::string& svg) {
  std::vector<std::pair<double, double>> all;
  const std::regex mark(R"re(translate\(([0-9.]+) ([0-9.]+)\))re");
  for (std::sregex_iterator at(svg.begin(), svg.end(), mark), end; at != end; ++at) {
    const double x = std::stod((*at)[1]);
    if (std::stod((*at)[2]) <= 330) all.emplace_back(x, std::stod((*at)[2]));
  }
  return all;
}

}  // namespace

TEST_CASE("Decades are equally far apart on a logarithmic axis, numbers on a linear one") {
  ScatterChart chart;
  chart.text = {"a < b", "words"};
  chart.x = {"x", false};
  chart.y = {"y", true};
  chart.groups = {{"g & h", {{0, 1e-3, true}, {1, 1e-1, true}, {2, 10, false}}}};
  const std::string svg = scatter_chart(chart);
  const auto at = marks(svg);
  REQUIRE(at.size() == 3);
  CHECK(at[0].first == Approx(46));
  CHECK(at[1].first - at[0].first == Approx(at[2].first - at[1].first).margin(0.2));
  CHECK(at[0].second == Approx(330));
  CHECK(at[2].second == Approx(38));
  CHECK(at[1].second == Approx((330 + 38) / 2.0));
  for (const char* label : {">1e-3<", ">1e1<", ">a &lt; b<", ">g &amp; h<"}) {
    INFO(label);
    CHECK(svg.find(label) != std::string::npos);
  }
}

TEST_CASE("A line is drawn as far as the plane goes; one point alone has a plane, too") {
  ScatterChart chart;
  chart.x = {"x", true};
  chart.y = {"y", true};
  chart.groups = {{"g", {{10, 0.1, true}, {1000, 0.001, true}}}};
  chart.lines = {
      {"1 / x", {{1, 1, true}, {10, 0.1, true}, {1000, 0.001, true}, {1e4, 1e-4, true}}}};
  const std::string svg = scatter_chart(chart);
  CHECK(svg.find("d=\"M46.0 38.0L426.0 330.0\"") != std::string::npos);
  chart.lines.clear();
  chart.groups = {{"g", {{10, 0.1, true}}}};
  const auto at = marks(scatter_chart(chart));
  REQUIRE(at.size() == 1);
  CHECK(at[0].first >= 46);
  CHECK(at[0].first <= 426);
}

TEST_CASE("Layers have whole ticks, and a curve joins its marks in their colour") {
  ScatterChart chart;
  chart.x = {"layer", false, true};
  chart.y = {"y", false};
  chart.groups = {{"plain", {{0, 0, true}, {2, 1, true}}, false},
                  {"curve", {{0, 1, true}, {1, 0, true}, {2, 1, true}}, true}};
  const std::string svg = scatter_chart(chart);
  CHECK(svg.find(">1<") != std::string::npos);
  CHECK(svg.find(">1.5<") == std::string::npos);
  CHECK(svg.find("d=\"M46.0 38.0L236.0 330.0L426.0 38.0\" fill=\"none\" stroke=\"#d55e00\"") !=
        std::string::npos);
  CHECK(svg.find("stroke=\"#0072b2\"/>") == std::string::npos);
}

}  // namespace sinkproof::report
