#include "reproduce/trade_chart.hpp"

#include <algorithm>
#include <cmath>

#include "report/chart/scatter_chart.hpp"

namespace sinkproof::reproduce {
namespace {

using report::ScatterGroup;
using report::ScatterPoint;

// A run whose largest error is below 1/2 has learned something of what triggers ask for.
bool solves(const TradePoint& point) { return point.sample.linf < 0.5; }

template <typename X, typename Y>
std::vector<ScatterGroup> groups(const std::vector<TradePoint>& points, const X& x, const Y& y) {
  std::vector<ScatterGroup> all;
  for (const TradePoint& point : points) {
    if (all.empty() || all.back().name != point.series) all.push_back({point.series, {}});
    all.back().points.push_back({x(point.sample), y(point.sample), solves(point)});
  }
  return all;
}

// The least growth of values that weights of size p allow at loss 0: y = 1 / x.
report::ScatterLine least_trade() {
  report::ScatterLine line{"1 / x", {}};
  for (int at = 0; at <= 120; ++at) {
    const double x = std::pow(10, at / 20.0);
    line.points.push_back({x, 1 / x, true});
  }
  return line;
}

double not_zero(double value) { return std::max(value, 1e-12); }

}  // namespace

std::vector<report::Figure> figures(const std::vector<TradePoint>& points) {
  report::ScatterChart loss;
  loss.text = {"Loss against attention to BOS",
               "A mark for each trained model. Estimates on random sequences: across, the largest "
               "over layers, heads and rows from 2 on of the mean weight on BOS; upwards, the mean "
               "squared error. Filled: the largest error is below 1/2."};
  loss.x = {"largest mean weight on BOS, rows from 2 on (estimate)", true};
  loss.y = {"mean squared error (estimate); hollow: some error is 1/2 or more", true};
  loss.groups = groups(
      points, [](const TradeSample& sample) { return not_zero(sample.largest_mean_bos); },
      [](const TradeSample& sample) { return not_zero(sample.loss); });
  report::ScatterChart values;
  values.text = {
      "Attention to BOS against the size of values",
      "A mark for each trained model. Across, N times the sum of v / (1 + v) with v the "
      "sum of the heads' value norms of a layer and N the product of 1 + v; upwards, the "
      "largest weight on BOS of all random sequences, layers, heads and rows from 2 on, "
      "an estimate. The dashed line is 1 / x. Filled: the largest error is below 1/2."};
  values.x = {"N sum v / (1 + v)", true};
  values.y = {"largest weight on BOS (estimate); hollow: some error is 1/2 or more", true};
  values.groups = groups(
      points, [](const TradeSample& sample) { return not_zero(sample.value_growth); },
      [](const TradeSample& sample) { return not_zero(sample.largest_bos); });
  values.lines = {least_trade()};
  const char* group = "Is a sink forced or learned?";
  return {{"loss-bos", report::scatter_chart(loss), group, ""},
          {"bos-values", report::scatter_chart(values), group, ""}};
}

}  // namespace sinkproof::reproduce
