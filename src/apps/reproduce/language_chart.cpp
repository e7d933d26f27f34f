#include "reproduce/language_chart.hpp"

#include "report/chart/scatter_chart.hpp"

namespace sinkproof::reproduce {
namespace {

using language_training::Measured;

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

// Of a setting with all its seeds.
report::ScatterGroup group(const std::string& name, const std::string& setting, const Sweep& sweep,
                           const Quantity& quantity) {
  report::ScatterGroup points{name, {}};
  for (const SweepRun& run : sweep.runs) {
    if (run.setting != setting) continue;
    for (const Measured& at : run.log) {
      points.points.push_back({static_cast<double>(at.step), at.*quantity.value, true});
    }
  }
  return points;
}

std::string chart(const Comparison& comparison, const Sweep& sweep, const Quantity& quantity) {
  report::ScatterChart chart;
  chart.text = {quantity.title,
                "Runs that differ in " + comparison.key +
                    ". A mark for each measurement, on the same held-out sequences. Estimates."};
  chart.x = {"steps", false};
  chart.y = {quantity.label, false};
  for (const std::string& value : comparison.values) {
    // A value that is the base's has no run of its own.
    std::string setting = sweep.runs.front().setting;
    for (const SweepRun& run : sweep.runs) {
      if (run.key == comparison.key && run.value == value) setting = run.setting;
    }
    chart.groups.push_back(group(value, setting, sweep, quantity));
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
