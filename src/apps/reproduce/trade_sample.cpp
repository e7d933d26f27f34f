#include "reproduce/trade_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rounded/double.hpp"
#include "train/reference.hpp"
#include "train/task.hpp"

namespace sinkproof::reproduce {
namespace {

namespace reference = train::reference;

std::vector<double> doubles(const std::vector<exact::Rational>& exact) {
  std::vector<double> values;
  values.reserve(exact.size());
  for (const exact::Rational& value : exact) values.push_back(rounded::to_double_estimate(value));
  return values;
}

std::vector<double> doubles(const exact::RationalMatrix& matrix) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t k = 0; k < matrix.columns(); ++k) {
      values.push_back(rounded::to_double_estimate(matrix(i, k)));
    }
  }
  return values;
}

reference::Stack<double> as_doubles(const model::AttentionModel& model) {
  reference::Stack<double> stack;
  for (const model::Layer& layer : model.layers) {
    stack.push_back({doubles(layer.query), doubles(layer.key), doubles(layer.value),
                     doubles(layer.output), doubles(layer.query_bias), doubles(layer.key_bias),
                     doubles(layer.value_bias), doubles(layer.output_bias), doubles(layer.gate),
                     doubles(layer.gate_bias), doubles(layer.sinks)});
  }
  return stack;
}

// ||W_O W_V||_inf of one head.
double value_norm(const train::Shape& shape, const reference::Weights<double>& layer,
                  std::size_t head) {
  const std::size_t n = shape.d_model;
  double largest = 0;
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < n; ++column) {
      double entry = 0;
      for (std::size_t c = head * n; c < (head + 1) * n; ++c) {
        entry += layer.output[row * shape.heads * n + c] * layer.value[c * n + column];
      }
      sum += std::abs(entry);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

double value_growth(const train::Shape& shape, const reference::Stack<double>& stack) {
  double product = 1;
  double sum = 0;
  for (const reference::Weights<double>& layer : stack) {
    double v = 0;
    for (std::size_t head = 0; head < shape.heads; ++head) v += value_norm(shape, layer, head);
    product *= 1 + v;
    sum += v / (1 + v);
  }
  return product * sum;
}

// Adds the weights on BOS of one sequence to `sums`: layer after layer, head after head, row after
// row, the first row's left 0.
void add_bos(const train::Shape& shape, const reference::Passes<double>& passes,
             std::vector<double>& sums, TradeSample& sample) {
  const std::size_t layer_rows = shape.heads * shape.length;
  for (std::size_t at = 0; at < sums.size(); ++at) {
    if (at % shape.length == 0) continue;
    const auto& attention = passes.kept[at / layer_rows].attention;
    const double weight = attention[at % layer_rows * shape.length];
    sums[at] += weight;
    sample.largest_bos = std::max(sample.largest_bos, weight);
  }
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
  const reference::Stack<double> stack = as_doubles(model);
  const train::BatchId batch{seed, std::numeric_limits<std::uint64_t>::max()};
  TradeSample sample;
  sample.value_growth = value_growth(shape, stack);
  std::vector<double> bos(shape.layers * shape.heads * shape.length);
  const double entries =
      static_cast<double>(sequences) * static_cast<double>(shape.length * shape.d_model);
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const train::Sample drawn = train::draw_sample(shape, batch, s);
    const std::vector<double> tokens(drawn.tokens.begin(), drawn.tokens.end());
    const std::vector<double> target = train::targets(shape, drawn.trigger, tokens);
    const auto passes = reference::forward_stack(shape, stack, tokens);
    for (std::size_t at = 0; at < target.size(); ++at) {
      const double error = passes.states.back()[at] - target[at];
      sample.loss += error * error / entries;
      sample.linf = std::max(sample.linf, std::abs(error));
    }
    add_bos(shape, passes, bos, sample);
  }
  const auto rows = static_cast<double>(shape.layers * shape.heads * (shape.length - 1));
  for (const double sum : bos) {
    sample.mean_bos += sum / (rows * sequences);
    sample.largest_mean_bos = std::max(sample.largest_mean_bos, sum / sequences);
  }
  return sample;
}

}  // namespace sinkproof::reproduce
