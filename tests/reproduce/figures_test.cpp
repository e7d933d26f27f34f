#include "reproduce/figures.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "report/chart/attention_figure.hpp"

namespace sinkproof::reproduce {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Two layers of two heads of length 4; every weight on key k (from 1) is 10^-k.
AttentionSample decades() {
  AttentionSample sample{{7, 3, 0}, "", {}};
  HeadSample head;
  for (std::size_t row = 1; row <= 4; ++row) {
    std::vector<double>& weights = head.mean.emplace_back();
    for (std::size_t k = 1; k <= row; ++k) weights.push_back(std::pow(10.0, -double(k)));
  }
  head.deviation = head.mean;
  head.first = head.mean;
  head.first[3][0] = 0;
  sample.heads = {{head, head}, {head, head}};
  return sample;
}

}  // namespace

TEST_CASE("A model's figures: three maps on two scales, a panel and a marked sink per head") {
  const auto all = figures({"m", "Figure 9", {}}, decades());
  std::string names;
  for (const report::Figure& figure : all) {
    names += figure.name + " ";
    CHECK(figure.group == "m");
    // Of stacks the paper shows one sequence, linear; of one layer mean and deviation.
    CHECK(figure.caption == (figure.name == "m-sequence-linear"
                                 ? "Of the same quantity: Figure 9 of arXiv:2603.11487."
                                 : ""));
    CHECK(figure.svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(occurrences(figure.svg, ">sink: BOS</text>") == 4);
    CHECK(occurrences(figure.svg, "layer 1 head 0</text>") == 1);
    CHECK(occurrences(figure.svg, "Estimates in double precision") == 1);
    // The sink column: of one cell's width, as high as the map.
    CHECK(occurrences(figure.svg, "width=\"10\" height=\"40\" fill=\"none\" stroke=\"#c8281f\"") ==
          4);
    // The trigger at 3: its row of three keys, its column of two rows.
    CHECK(occurrences(figure.svg, "width=\"30\" height=\"10\" fill=\"none\" stroke=\"#c2571a\"") ==
          4);
    CHECK(occurrences(figure.svg, "width=\"10\" height=\"20\" fill=\"none\" stroke=\"#c2571a\"") ==
          4);
  }
  CHECK(names ==
        "m-mean-linear m-mean-log m-deviation-linear m-deviation-log m-sequence-linear "
        "m-sequence-log ");
  CHECK(all[0].svg.find("estimates on 7 random sequences, trigger at 3") != std::string::npos);
  CHECK(all[4].svg.find("estimates on one random sequence, trigger at 3") != std::string::npos);
}

TEST_CASE("Of one layer the captions of mean and deviation name the paper's figure") {
  AttentionSample sample = decades();
  sample.heads.resize(1);
  std::string captioned;
  for (const report::Figure& figure : figures({"m", "Figure 9", {}}, sample)) {
    if (!figure.caption.empty()) captioned += figure.name + " ";
  }
  CHECK(captioned == "m-mean-linear m-deviation-linear ");
}

TEST_CASE("Cells have their weight's colour on the scale that is drawn, and zero its own") {
  report::AttentionFigure figure;
  figure.text = {"t", "d"};
  figure.panels = {{"p", {{1}, {0.01, 0}}}};
  figure.scale = report::scale_of(figure.panels);
  CHECK(figure.scale.largest == 1);
  const auto cell = [&](const std::string& colour, const char* corner) {
    const std::string svg = attention_figure(figure);
    return svg.find("<path fill=\"" + colour + "\" d=\"M" + corner + "h10v10h-10z\"/>") !=
           std::string::npos;
  };
  CHECK(cell(report::level_colour(report::kLevels - 1), "26 56"));
  CHECK(cell(report::level_colour(0), "26 66"));
  CHECK(cell("#eceae4", "36 66"));
  figure.colours = report::Colours::kLogarithmic;
  CHECK(cell(report::level_colour(report::kLevels - 1), "26 56"));
  CHECK(cell(report::level_colour(report::kLevels * 4 / 6), "26 66"));
  CHECK(cell("#eceae4", "36 66"));
}

TEST_CASE("Deviations far below 1 have a scale of their own") {
  const report::ColourScale scale = report::scale_of({{"p", {{0.0003}, {0.0011, 0.0002}}}});
  CHECK(scale.largest == Approx(0.002));
  CHECK(scale.top == -2);
  CHECK(report::scale_of({{"p", {{0}}}}).largest == 1);
}

}  // namespace sinkproof::reproduce
