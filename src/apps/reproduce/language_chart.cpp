#include "reproduce/language_chart.hpp"

#include "report/chart/scatter_chart.hpp"

namespace sinkproof::reproduce {
namespace {

using language_training::Measured;

constexpr std::size_t kMostGroups = 8;  // of a chart

struct Quantity {
  const char* name;
  const char* title;
  const char* label;
  double Measured::*value;
};

constexpr Quantity kQuantities[] = {
    {"sink-share", "Heads with a sink at the first token during training",
     "share of (sequence, layer, head) with alpha_1 > 0.3 (estimate)", &Measured::sink_share},
    {"loss", "Loss on held-out text during training", "nats per byte (estimate)",
     &Measured::held_out_loss},
};

// Of a setting: means over its seeds, which are measured at the same steps.
report::ScatterGroup group(const std::string& name, const std::string& setting, const Sweep& sweep,
                           const Quantity& quantity) {
  report::ScatterGroup points{name, {}, true};
  double seeds = 0;
  for (const SweepRun& run : sweep.runs) {
    if (run.setting != setting) continue;
    seeds += 1;
    points.points.resize(run.log.size());
    for (std::size_t i = 0; i < run.log.size(); ++i) {
      const double earlier = points.points[i].y;
      points.points[i] = {static_cast<double>(run.log[i].step),
                          earlier + (run.log[i].*quantity.value - earlier) / seeds, true};
    }
  }
  return points;
}

std::string chart(const Comparison& comparison, const Sweep& sweep, const Quantity& quantity) {
  report::ScatterChart chart;
  chart.text = {quantity.title,
                "Runs that differ in " + comparison.key +
                    ". A mark for each measurement, on the same held-out sequences: the mean over "
                    "seeds. Estimates."};
  chart.x = {"steps", false};
  chart.y = {quantity.label, false};
  const std::string& base = sweep.runs.front().setting;
  bool has_base = false;
  for (const std::string& value : comparison.values) {
    // A value that is the base's has no run of its own.
    std::string setting = base;
    for (const SweepRun& run : sweep.runs) {
      if (run.key == comparison.key && run.value == value) setting = run.setting;
    }
    has_base = has_base || setting == base;
    chart.groups.push_back(group(value, setting, sweep, quantity));
  }
  if (!has_base && chart.groups.size() < kMostGroups) {
    chart.groups.insert(chart.groups.begin(), group(base, base, sweep, quantity));
  }
  return report::scatter_chart(chart);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> language_charts(const SweepOptions& options,
                                                                 const Sweep& sweep) {
  std::vector<std::pair<std::string, std::string>> charts;
  for (const Comparison& comparison : options.comparisons) {
    for (const Quantity& quantity : kQuantities) {
      charts.emplace_back(std::string(quantity.name) + "-by-" + comparison.key,
                          chart(comparison, sweep, quantity));
    }
  }
  return charts;
}

}  // namespace sinkproof::reproduce
