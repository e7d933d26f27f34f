#include "reproduce/figures.hpp"

#include <fmt/format.h>

#include <array>

#include "report/chart/attention_figure.hpp"
#include "text/words.hpp"

namespace sinkproof::reproduce {
namespace {

using report::Colours;

struct Kind {
  const char* name;
  const char* quantity;
  CausalMap HeadSample::*map;
};
constexpr std::array kKinds = {
    Kind{"mean", "mean attention weight", &HeadSample::mean},
    Kind{"deviation", "standard deviation of weights", &HeadSample::deviation},
    Kind{"sequence", "attention weight", &HeadSample::first}};

std::vector<report::Panel> panels(const AttentionSample& sample, CausalMap HeadSample::*map) {
  std::vector<report::Panel> all;
  for (std::size_t l = 0; l < sample.heads.size(); ++l) {
    for (std::size_t h = 0; h < sample.heads[l].size(); ++h) {
      all.push_back({fmt::format("layer {} head {}", l, h), sample.heads[l][h].*map});
    }
  }
  return all;
}

std::string sample_words(const Draw& draw, CausalMap HeadSample::*map) {
  const std::string trigger = fmt::format(", trigger at {}", draw.trigger);
  return "estimates on " +
         (map == &HeadSample::first ? "one random sequence"
                                    : text::counted(draw.sequences, "random sequence")) +
         trigger;
}

// Of one layer the paper shows mean and deviation, of stacks one sequence; colours are linear
// there.
std::string caption(const Variant& model, const AttentionSample& sample, const Kind& kind,
                    Colours colours) {
  const bool shown_there = (kind.map == &HeadSample::first) == (sample.heads.size() > 1);
  if (!shown_there || colours != Colours::kLinear) return "";
  return "Of the same quantity: " + model.paper_figures + " of arXiv:2603.11487.";
}

}  // namespace

std::vector<report::Figure> figures(const Variant& model, const AttentionSample& sample) {
  std::vector<report::Figure> all;
  for (const Kind& kind : kKinds) {
    report::AttentionFigure figure;
    figure.panels = panels(sample, kind.map);
    const std::string words =
        fmt::format("{}: {}, {}", model.name, kind.quantity, sample_words(sample.draw, kind.map));
    figure.text = {words, fmt::format("{}. Estimates in double precision, a panel per layer and "
                                      "head, rows are queries, columns keys; the sink column, key "
                                      "1 (BOS), and the trigger's row and column are outlined.",
                                      words)};
    figure.trigger = sample.draw.trigger;
    figure.across = sample.heads.front().size();
    figure.quantity = kind.quantity;
    figure.scale = report::scale_of(figure.panels);
    for (const Colours colours : {Colours::kLinear, Colours::kLogarithmic}) {
      figure.colours = colours;
      const char* scale = colours == Colours::kLinear ? "linear" : "log";
      all.push_back({fmt::format("{}-{}-{}", model.name, kind.name, scale),
                     attention_figure(figure), model.name, caption(model, sample, kind, colours)});
    }
  }
  return all;
}

}  // namespace sinkproof::reproduce
