// The figures of a page in files of their own: whole documents, with all that a paper needs.
#include "report/figures.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "markup.hpp"
#include "report/chart/enclosure_map.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/style.hpp"

using namespace sinkproof::report;
using namespace sinkproof::report::test;

namespace {

EnclosureMap map_of(const std::string& id, std::size_t columns) {
  EnclosureMap map{id, "A < B", "alpha", "", {"layer", {"0", "1"}}, {"head", {}}, {}, {}, true};
  map.field = {2, columns, {}};
  for (std::size_t c = 0; c < columns; ++c) map.columns.labels.push_back(std::to_string(c));
  for (std::size_t i = 0; i < 2 * columns; ++i) {
    const auto number = sinkproof::exact::make_rational(i + 1, 2 * columns);
    map.field.cells.push_back({number, number});
  }
  return map;
}

std::string page_of(const EnclosureMap& map) {
  const Shades shades = shades_of({&map.field});
  return shade_bars(shades, "attention") + "<div class=\"maps\">\n" + enclosure_map(map, shades) +
         "</div>\n";
}

Chart chart_of(const std::string& id) {
  Chart chart;
  chart.id = id;
  chart.title = "T";
  chart.description = "D";
  chart.x_label = "training step";
  chart.y_label = "share";
  chart.curves = {{"heads & others", Look::kSink, Stroke::kSolid, {{0, 1, 1}, {2, 3, 3}}},
                  {"dashes", Look::kDiagonal, Stroke::kDashed, {{0, 2, 2}, {2, 1, 1}}}};
  chart.evidence = " <span class=\"tag\">estimate, not proved</span>";
  return chart;
}

// Every tag is closed in order.
bool is_closed(const std::string& svg) {
  static const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator at(svg.begin(), svg.end(), tag), end; at != end; ++at) {
    if ((*at)[3].length() > 0) continue;
    if ((*at)[1].length() == 0) {
      open.push_back((*at)[2]);
    } else if (open.empty() || open.back() != (*at)[2].str()) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

// The width of the drawing, in the units of its text.
double width_of(const std::string& svg) {
  std::smatch found;
  REQUIRE(std::regex_search(
      svg, found, std::regex(R"(width="80mm" height="[0-9.]+mm" viewBox="0 0 ([0-9.]+) )")));
  return std::stod(found[1]);
}

// The places of the labels of an axis, as they are drawn.
std::vector<double> places(const std::string& svg, const std::string& axis, int coordinate) {
  const std::regex label("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" class=\"" + axis + "\"");
  std::vector<double> all;
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at) {
    all.push_back(std::stod((*at)[static_cast<std::size_t>(coordinate)]));
  }
  return all;
}

}  // namespace

TEST_CASE("A map's file has its colour bar, its axes and whether it is proved") {
  const auto documents = figure_documents(page_of(map_of("one", 4)));
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].name == "one");
  const std::string& svg = documents[0].svg;
  CHECK(is_closed(svg));
  CHECK(contains(svg, "xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(contains(svg, "<title>A &lt; B</title>"));
  CHECK(contains(svg, ">layer</text>"));
  CHECK(contains(svg, ">head</text>"));
  CHECK(contains(svg, ">estimate, not proved</text>"));
  CHECK(count(svg, "<path class=\"n35 g35\" d=\"M") >= 1);  // of the bar
  CHECK_FALSE(contains(svg, "var("));
  CHECK(width_of(svg) == 250);
}

TEST_CASE("A wide map is scaled to 8 cm, and its labels are not") {
  const auto documents = figure_documents(page_of(map_of("wide", 96)));
  REQUIRE(documents.size() == 1);
  const std::string& svg = documents[0].svg;
  CHECK(is_closed(svg));
  CHECK(width_of(svg) == 250);
  const auto columns = places(svg, "column", 1);
  REQUIRE(columns.size() >= 5);
  CHECK(columns.back() < 250);
  // A digit of text of 8 takes 4.5, and 3 are left between labels.
  for (std::size_t i = 1; i < columns.size(); ++i) CHECK(columns[i] - columns[i - 1] >= 7.4);
  // The last column's label is beneath the last cells: 95 / 96 of the way.
  const auto rows = places(svg, "row", 2);
  CHECK(rows.size() >= 1);
}

TEST_CASE("A chart's file has its key, in colours that all readers can tell apart") {
  const auto documents = figure_documents("<div>" + xy_chart(chart_of("loss")) + "</div>");
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].name == "loss");
  const std::string& svg = documents[0].svg;
  CHECK(is_closed(svg));
  for (const char* words : {">heads &amp; others</text>", ">dashes</text>", ">training step</text>",
                            ">share</text>", ">estimate, not proved</text>"}) {
    INFO(words);
    CHECK(contains(svg, words));
  }
  // Drawn and in the key.
  CHECK(count(svg, "class=\"curve of-sink\"") == 2);
  CHECK(count(svg, "class=\"curve of-diagonal dashed\"") == 2);
}

TEST_CASE("Text of figures has at least six points at 8 cm") {
  const std::string style(kFigureStyle);
  const auto size_of = [&](const std::string& rule) {
    std::smatch found;
    REQUIRE(std::regex_search(style, found, std::regex(rule)));
    return std::stod(found[1]);
  };
  constexpr double kPoints = 80 / 25.4 * 72;
  const auto map = figure_documents(page_of(map_of("m", 96)));
  CHECK(size_of("\\.map text \\{ font-size: ([0-9]+)px") * kPoints / width_of(map[0].svg) >= 6);
  const auto chart = figure_documents(xy_chart(chart_of("c")));
  CHECK(size_of("\ntext \\{ font: ([0-9]+)px") * kPoints / width_of(chart[0].svg) >= 6);
}

TEST_CASE("A key with two signs before its words is drawn with both") {
  const NamedInterval range{"layer 0, head 0 on 1", 0, sinkproof::exact::make_rational(1, 2)};
  const auto documents =
      figure_documents(range_plot("Ranges", "attention & more", {range}) + range_key());
  REQUIRE(documents.size() == 1);
  const std::string& svg = documents[0].svg;
  CHECK(is_closed(svg));
  CHECK(count(svg, "<path class=\"proved\"") == 4);
  CHECK(contains(svg, "least and greatest, proved for all sequences"));
  CHECK(contains(svg, ">attention &amp; more</text>"));
}

TEST_CASE("Figures of one name get numbers, and signs are no figures") {
  const std::string page = page_of(map_of("same", 3)) + page_of(map_of("same", 3)) +
                           mark_sign(CellMark::kRing) + xy_chart(chart_of("other"));
  std::set<std::string> names;
  for (const auto& document : figure_documents(page)) names.insert(document.name);
  CHECK(names == std::set<std::string>{"same", "same-2", "other"});
  CHECK(figure_documents("<p>none</p>").empty());
}
