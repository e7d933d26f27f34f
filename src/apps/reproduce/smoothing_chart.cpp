#include "reproduce/smoothing_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "report/chart/attention_figure.hpp"
#include "report/chart/scatter_chart.hpp"
#include "rounded/double.hpp"

namespace sinkproof::reproduce {
namespace {

using estimate::Array;
using report::ScatterChart;
using report::ScatterGroup;

using Charts = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostGroups = 8;  // of one chart

using Measurement = SmoothingMeasurement;

double at_layer(const Measurement& one, const std::string& name, std::size_t layer) {
  return one.means.at(name).values[layer];
}

std::size_t layers_of(const Measurement& one) { return one.means.at("s").shape[0]; }
std::size_t heads_of(const Measurement& one) { return one.means.at("s").shape[1]; }

double at_head(const Measurement& one, const std::string& name, std::size_t layer,
               std::size_t head) {
  return one.means.at(name).values[layer * heads_of(one) + head];
}

// A curve over layers 0 .. count - 1.
ScatterGroup curve(const std::string& name, std::size_t count,
                   const std::function<double(std::size_t layer)>& value) {
  ScatterGroup group{name, {}, true};
  for (std::size_t l = 0; l < count; ++l) {
    group.points.push_back({static_cast<double>(l), value(l), true});
  }
  return group;
}

// `paper`: the figures of arXiv:2605.08453 that show the same quantity.
std::string description(const std::string& what, const char* paper) {
  return fmt::format(
      "{} Estimates in double precision, not proved. Of the same quantity: {} of arXiv:2605.08453.",
      what, paper);
}

// `of`: the measurement's label, or "" of all.
ScatterChart chart_of(const std::string& title, const std::string& what, const char* paper,
                      const std::string& y, const std::string& of) {
  ScatterChart chart;
  chart.text = {title, description(what, paper)};
  chart.x = {"input of layer; the last is the output", false, true};
  chart.y = {y + " (estimate)" + (of.empty() ? "" : "; " + of), false};
  return chart;
}

// As many charts as the groups need; none for groups without points.
void add(Charts& all, const std::string& name, ScatterChart chart) {
  const std::vector<ScatterGroup> groups = std::move(chart.groups);
  if (std::all_of(groups.begin(), groups.end(),
                  [](const ScatterGroup& group) { return group.points.empty(); })) {
    return;
  }
  for (std::size_t first = 0; first < groups.size(); first += kMostGroups) {
    const auto begin = groups.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kMostGroups, groups.size() - first);
    chart.groups.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    const std::string number = first == 0 ? "" : fmt::format("-{}", first / kMostGroups + 1);
    all.emplace_back(name + number, report::scatter_chart(chart));
  }
}

// ---- all measurements together

void across_layers(Charts& all, const std::vector<Measurement>& measurements) {
  ScatterChart cosine = chart_of(
      "Average cosine similarity by layer",
      "A curve for each model, text and length: the mean cosine of two rows of a layer's input.",
      "Figures 4 and 6", "average cosine similarity", "");
  ScatterChart difference = chart_of(
      "Average cosine similarity less the theory's value",
      "A curve for each model, text and length: the mean cosine of two rows less |m|^2 / (|m|^2 + "
      "b), with their mean m and spread b.",
      "Figures 2, 5 and 7", "measured less theory", "");
  for (const Measurement& one : measurements) {
    const std::size_t count = layers_of(one) + 1;
    cosine.groups.push_back(
        curve(one.label(), count, [&](std::size_t l) { return at_layer(one, "mean-cosine", l); }));
    difference.groups.push_back(curve(one.label(), count, [&](std::size_t l) {
      return at_layer(one, "mean-cosine", l) - at_layer(one, "predicted-cosine", l);
    }));
  }
  add(all, "cosine-by-layer", cosine);
  add(all, "theory-difference", difference);
}

// ---- one measurement

void first_token(Charts& all, const Measurement& one) {
  const Array& array = one.means.at("first-cosine");
  const auto others = [&](std::size_t l) {
    const auto row = array.values.begin() + static_cast<std::ptrdiff_t>(l * array.shape[1]);
    return std::vector<double>(row + 1, row + static_cast<std::ptrdiff_t>(array.shape[1]));
  };
  ScatterChart chart =
      chart_of("Cosine of the first token with the others",
               "The mean, the least and the greatest over positions of the mean cosine with row 1.",
               "Figure 1", "cosine with row 1", one.label());
  const std::size_t count = layers_of(one) + 1;
  chart.groups = {curve("mean over the other positions", count,
                        [&](std::size_t l) {
                          double sum = 0;
                          for (const double value : others(l)) sum += value;
                          return sum / static_cast<double>(array.shape[1] - 1);
                        }),
                  curve("least position", count,
                        [&](std::size_t l) {
                          const auto values = others(l);
                          return *std::min_element(values.begin(), values.end());
                        }),
                  curve("greatest position", count, [&](std::size_t l) {
                    const auto values = others(l);
                    return *std::max_element(values.begin(), values.end());
                  })};
  add(all, "first-token." + one.file(), chart);
}

// The mean over the heads of a layer for which `wanted` holds; points of layers without one are
// left out.
ScatterGroup head_means(const Measurement& one, const std::string& label, const std::string& name,
                        const std::function<bool(std::size_t layer, std::size_t head)>& wanted) {
  ScatterGroup group{label, {}, true};
  for (std::size_t l = 0; l < layers_of(one); ++l) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t h = 0; h < heads_of(one); ++h) {
      if (!wanted(l, h)) continue;
      sum += name.empty() ? 0 : at_head(one, name, l, h);
      ++count;
    }
    if (count > 0)
      group.points.push_back({static_cast<double>(l), sum / static_cast<double>(count), true});
  }
  return group;
}

bool any(std::size_t, std::size_t) { return true; }

void theory(Charts& all, const Measurement& one) {
  ScatterChart chart = chart_of(
      "Average cosine similarity, measured and by theory",
      "Of a layer's input X, of X + W Z with a head's W and the normed input Z, and of X with what "
      "the head's attention adds; the last two are means over heads. Theory: ratios of "
      "expectations of sm-1 with the measured means and spreads.",
      "Figures 2, 5 and 7", "average cosine", one.label());
  const std::size_t count = layers_of(one) + 1;
  const auto input = [&](const char* name) {
    return [&one, name](std::size_t l) { return at_layer(one, name, l); };
  };
  chart.groups = {curve("X, measured", count, input("mean-cosine")),
                  curve("X, theory", count, input("predicted-cosine")),
                  head_means(one, "X + W Z, measured", "own-measured", any),
                  head_means(one, "X + W Z, theory", "own-predicted", any),
                  head_means(one, "X + attention, measured", "output-measured", any),
                  head_means(one, "X + attention, theory", "output-predicted", any)};
  add(all, "theory." + one.file(), chart);
}

void components(Charts& all, const Measurement& one, bool uniform_alone) {
  const auto wanted = [&](std::size_t l, std::size_t h) {
    return !uniform_alone || at_head(one, "uniformity", l, h) > kUniform;
  };
  const std::string which =
      uniform_alone ? fmt::format("heads with uniformity above {}", kUniform) : "all heads";
  ScatterChart chart = chart_of(
      "Average cosine by component of attention, " + which,
      "Average cosine similarity of the normed input Z, of the head's values W Z, of X + W Z, of "
      "what attention puts out, of X with that, and of X with the output of uniform attention; "
      "means over " +
          which + ".",
      "Figures 2 (right) and 11", "average cosine", one.label());
  chart.x.label = "layer";
  ScatterGroup normed{"Z", {}, true};
  for (const report::ScatterPoint& point : head_means(one, "", "", wanted).points) {
    const auto layer = static_cast<std::size_t>(point.x);
    normed.points.push_back({point.x, at_layer(one, "normed-cosine", layer), true});
  }
  chart.groups = {normed,
                  head_means(one, "W Z", "values-measured", wanted),
                  head_means(one, "X + W Z", "own-measured", wanted),
                  head_means(one, "attention", "attention-measured", wanted),
                  head_means(one, "X + attention", "output-measured", wanted),
                  head_means(one, "X + uniform attention", "uniform-measured", wanted)};
  add(all, (uniform_alone ? "components-uniform." : "components.") + one.file(), chart);
}

// By the case of sm-2 that holds on every sequence.
struct Case {
  const char* readout;
  const char* name;
};
constexpr Case kCases[] = {{"case-a", "s >= 0: dense attention smooths more (sm-2 a)"},
                           {"case-b", "s + t < 0: dense attention smooths less (sm-2 b)"},
                           {"case-d", "-t < s < 0: more up to a turning point (sm-2 d)"},
                           {nullptr, "sequences differ, or not decided"}};

bool is_of(const Measurement& one, const Case& which, std::size_t l, std::size_t h) {
  if (which.readout != nullptr) return at_head(one, which.readout, l, h) == 1;
  return std::none_of(std::begin(kCases), std::end(kCases), [&](const Case& other) {
    return other.readout != nullptr && is_of(one, other, l, h);
  });
}

double change(const Measurement& one, const char* name, std::size_t l, std::size_t h) {
  return at_head(one, name, l, h) - at_layer(one, "mean-cosine", l);
}

void changes(Charts& all, const Measurement& one) {
  const auto grouped =
      [&](const std::function<report::ScatterPoint(std::size_t, std::size_t)>& of) {
        std::vector<ScatterGroup> groups;
        for (const Case& which : kCases) {
          ScatterGroup& group = groups.emplace_back(ScatterGroup{which.name, {}});
          for (std::size_t l = 0; l < layers_of(one); ++l) {
            for (std::size_t h = 0; h < heads_of(one); ++h) {
              if (is_of(one, which, l, h)) group.points.push_back(of(l, h));
            }
          }
        }
        return groups;
      };
  const std::string signs =
      " A mark for each head. Groups: the signs of s and s + t on every sequence, decided beyond "
      "rounding for the rows as they are stored.";
  for (const bool uniform : {false, true}) {
    const char* name = uniform ? "uniform-measured" : "output-measured";
    ScatterChart chart =
        chart_of(uniform ? "Change of average cosine by uniform attention"
                         : "Change of average cosine by a head's attention",
                 "Average cosine of X with what one head adds, less that of X." + signs,
                 uniform ? "Figure 9" : "Figure 8", "change", one.label());
    chart.x.label = "layer";
    chart.groups = grouped([&](std::size_t l, std::size_t h) {
      return report::ScatterPoint{static_cast<double>(l), change(one, name, l, h), true};
    });
    add(all, (uniform ? "change-uniform." : "change-head.") + one.file(), chart);
  }
  ScatterChart chart = chart_of("Change of average cosine, uniform and own attention compared",
                                "Change of average cosine by uniform attention, across, and by the "
                                "head's own, upwards." +
                                    signs,
                                "Figure 10", "change by own attention", one.label());
  chart.x = {"change by uniform attention (estimate)", false};
  chart.groups = grouped([&](std::size_t l, std::size_t h) {
    return report::ScatterPoint{change(one, "uniform-measured", l, h),
                                change(one, "output-measured", l, h), true};
  });
  add(all, "change-compared." + one.file(), chart);
}

void ranks(Charts& all, const Measurement& one) {
  ScatterChart chart = chart_of(
      "Ranks of attention and output matrices",
      "A mark for each head and kind: the least number of singular values that hold 99 % of the "
      "sum of their squares, of the attention matrix A and of its output A V; a mean over "
      "sequences.",
      "Figure 12", "singular values for 99 %", one.label());
  chart.x.label = "layer";
  for (const auto& [name, readout, shift] : {std::tuple("attention A", "attention-rank", 0.0),
                                             std::tuple("output A V", "output-rank", 0.2)}) {
    ScatterGroup& group = chart.groups.emplace_back(ScatterGroup{name, {}});
    for (std::size_t l = 0; l < layers_of(one); ++l) {
      for (std::size_t h = 0; h < heads_of(one); ++h) {
        group.points.push_back(
            {static_cast<double>(l) + shift, at_head(one, readout, l, h), false});
      }
    }
  }
  add(all, "ranks." + one.file(), chart);
}

void patterns(Charts& all, const Measurement& one) {
  if (one.patterns.empty()) return;
  report::AttentionFigure figure;
  for (const Pattern& pattern : one.patterns) {
    figure.panels.push_back(
        {fmt::format("{}: layer {} head {}", pattern.kind, pattern.layer, pattern.head),
         pattern.weights});
  }
  figure.text = {"Attention patterns: " + one.label(),
                 description("The head with the most weight on the first key, that with the most "
                             "on its own, and that with the most of both, on the first positions "
                             "of the first sequence.",
                             "Figure 13")};
  figure.trigger = 0;
  figure.across = figure.panels.size();
  figure.quantity = "attention weight";
  figure.scale = report::scale_of(figure.panels);
  all.emplace_back("patterns." + one.file(), attention_figure(figure));
}

// Two curves for each pattern: what is proved from below and from above.
void costs(Charts& all, const Measurement& one, bool whole_block) {
  if (one.costs.empty()) return;
  ScatterChart chart;
  const std::string added =
      whole_block ? "; added is what gives back each row but the first: the head's values, or for "
                    "a sink, whose head puts out nothing, an MLP. Computed with outward rounding"
                  : ". Values and MLP are left out";
  chart.text = {whole_block ? "Cost of a block with a sink or a diagonal"
                            : "Least cost of a sink and of a diagonal",
                "The least squared Frobenius norm of query and key weights whose scores have "
                "margin 1 in the pattern, on the normed inputs of each layer as stored. Both "
                "bounds are proved: the trusted checker accepted their certificates" +
                    added + ". Of the same quantity: Figure 3 of arXiv:2605.08453."};
  chart.x = {"layer", false, true};
  chart.y = {std::string(whole_block ? "squared norm of the block" : "||W_Q||^2 + ||W_K||^2") +
                 " (proved); " + one.label(),
             true};
  for (const char* pattern : {"sink", "diagonal"}) {
    for (const bool upper : {false, true}) {
      ScatterGroup& group = chart.groups.emplace_back(
          ScatterGroup{fmt::format("{}, {} bound", pattern, upper ? "upper" : "lower"), {}, true});
      for (const LayerCost& cost : one.costs) {
        if (cost.pattern != pattern) continue;
        exact::Rational bound = upper ? cost.cost.upper : cost.cost.lower;
        if (whole_block) bound += upper ? cost.identity.upper : cost.identity.lower;
        const double y = rounded::to_double_estimate(bound);
        if (y > 0) group.points.push_back({static_cast<double>(cost.layer), y, !upper});
      }
    }
  }
  add(all, (whole_block ? "cost-block." : "cost.") + one.file(), chart);
}

}  // namespace

Charts smoothing_charts(const std::vector<Measurement>& measurements) {
  Charts all;
  across_layers(all, measurements);
  for (const Measurement& one : measurements) {
    first_token(all, one);
    theory(all, one);
    components(all, one, false);
    components(all, one, true);
    changes(all, one);
    ranks(all, one);
    patterns(all, one);
    costs(all, one, false);
    costs(all, one, true);
  }
  return all;
}

}  // namespace sinkproof::reproduce
