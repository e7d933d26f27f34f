#include "reproduce/trade_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "report/attention_map.hpp"
#include "train/task.hpp"

namespace sinkproof::reproduce {
namespace {

// ||W_O W_V||_inf of one head.
double value_norm(const train::Shape& shape, const report::Layer& layer, std::size_t head) {
  const std::size_t n = shape.d_model;
  double largest = 0;
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < n; ++column) {
      double entry = 0;
      for (std::size_t c = head * n; c < (head + 1) * n; ++c) {
        entry +=
            layer.output.weight[row * shape.heads * n + c] * layer.value.weight[c * n + column];
      }
      sum += std::abs(entry);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

double value_growth(const train::Shape& shape, const report::Stack& stack) {
  double product = 1;
  double sum = 0;
  for (const report::Layer& layer : stack.layers) {
    double v = 0;
    for (std::size_t head = 0; head < shape.heads; ++head) v += value_norm(shape, layer, head);
    product *= 1 + v;
    sum += v / (1 + v);
  }
  return product * sum;
}

}  // namespace

TradeSample trade_sample(const model::AttentionModel& model, std::uint32_t sequences,
                         std::uint64_t seed) {
  train::Shape shape;
  shape.attention = model.attention;
  shape.d_model = model.d_model;
  shape.length = model.length;
  shape.heads = model.num_heads;
  shape.layers = model.layers.size();
  shape.residual = model.residual;
  const report::Stack stack = report::in_doubles(model);
  const train::BatchId batch{seed, std::numeric_limits<std::uint64_t>::max()};
  TradeSample sample;
  sample.value_growth = value_growth(shape, stack);
  // The weights on BOS, layer after layer, head after head, row after row; the first rows' left 0.
  std::vector<double> bos(shape.layers * shape.heads * shape.length);
  const auto add_bos = [&](std::size_t head, std::size_t row, const report::AttentionRow& seen) {
    if (row == 0) return;
    bos[head * shape.length + row] += seen.weights.front();
    sample.largest_bos = std::max(sample.largest_bos, seen.weights.front());
  };
  const double entries =
      static_cast<double>(sequences) * static_cast<double>(shape.length * shape.d_model);
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const train::Sample drawn = train::draw_sample(shape, batch, s);
    const std::vector<double> tokens(drawn.tokens.begin(), drawn.tokens.end());
    const std::vector<double> target = train::targets(shape, drawn.trigger, tokens);
    std::vector<std::vector<double>> rows(shape.length);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      rows[at / shape.d_model].push_back(tokens[at]);
    }
    const auto out = report::pass(
        stack, rows, [](std::size_t) { return true; }, add_bos);
    for (std::size_t at = 0; at < target.size(); ++at) {
      const double error = out[at / shape.d_model][at % shape.d_model] - target[at];
      sample.loss += error * error / entries;
      sample.linf = std::max(sample.linf, std::abs(error));
    }
  }
  const auto rows = static_cast<double>(shape.layers * shape.heads * (shape.length - 1));
  for (const double sum : bos) {
    sample.mean_bos += sum / (rows * sequences);
    sample.largest_mean_bos = std::max(sample.largest_mean_bos, sum / sequences);
  }
  return sample;
}

}  // namespace sinkproof::reproduce
