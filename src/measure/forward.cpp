#include "measure/forward.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace sinkproof::measure {
namespace {

using model::Attention;

struct Affine {
  Rows weight;  // [out, in]
  std::vector<double> bias;
};

Affine affine(const exact::RationalMatrix& weight, const std::vector<exact::Rational>& bias) {
  Affine result{Rows(weight.rows(), weight.columns()), std::vector<double>(weight.rows())};
  for (std::size_t i = 0; i < weight.rows(); ++i) {
    if (!bias.empty()) result.bias[i] = exact::to_double_estimate(bias[i]);
    for (std::size_t j = 0; j < weight.columns(); ++j) {
      result.weight(i, j) = exact::to_double_estimate(weight(i, j));
    }
  }
  return result;
}

// x W^T + b for rows begin..begin+count-1 of x.
Rows apply(const Affine& map, const Rows& x, std::size_t begin, std::size_t count) {
  Rows result(count, map.weight.rows());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < map.weight.rows(); ++j) {
      double sum = map.bias[j];
      for (std::size_t k = 0; k < x.columns(); ++k) sum += x(begin + i, k) * map.weight(j, k);
      result(i, j) = sum;
    }
  }
  return result;
}

double logistic(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double elu1(double x) { return x >= 0 ? x + 1 : std::exp(x); }

// The kernel of a key with this logit; `top` is the row's largest (softmax kinds).
double kernel(Attention attention, double logit, double top) {
  switch (attention) {
    case Attention::kSoftmax:
    case Attention::kSoftmaxNull:
    case Attention::kSoftmaxGated:
      return std::exp(logit - top);
    case Attention::kSigmoidNormalised:
    case Attention::kSigmoid:
      return logistic(logit);
    case Attention::kElu1Normalised:
    case Attention::kElu1:
      return elu1(logit);
    case Attention::kRelu:
      return std::max(logit, 0.0);
    case Attention::kLinear:
      return logit;
  }
  return 0;
}

// Logits become weights, in place; src/certificate/LAYER_RULES.md, 5.1.
void to_weights(Attention attention, std::vector<double>& row) {
  double top = *std::max_element(row.begin(), row.end());
  if (attention == Attention::kSoftmaxNull) top = std::max(top, 0.0);
  double sum = attention == Attention::kSoftmaxNull ? std::exp(-top) : 0;
  for (double& entry : row) {
    entry = kernel(attention, entry, top);
    sum += entry;
  }
  const double others = static_cast<double>(row.size()) - 1;  // i - 1, positions from 1
  const double divisor = model::is_normalised(attention) ? sum : std::max(1.0, others);
  for (double& entry : row) entry /= divisor;
}

struct LayerMaps {
  Affine query;
  Affine key;
  Affine value;
  Affine output;
  Affine gate;
};

LayerMaps maps_of(const model::Layer& layer) {
  return {affine(layer.query, layer.query_bias), affine(layer.key, layer.key_bias),
          affine(layer.value, layer.value_bias), affine(layer.output, layer.output_bias),
          affine(layer.gate, layer.gate_bias)};
}

// What the heads of one sequence attend to, side by side: [count, heads * width].
Rows attended(const model::AttentionModel& model, const LayerMaps& maps, const Rows& x,
              std::size_t begin, std::size_t count) {
  const Rows query = apply(maps.query, x, begin, count);
  const Rows key = apply(maps.key, x, begin, count);
  const Rows value = apply(maps.value, x, begin, count);
  const Rows gate = maps.gate.weight.rows() == 0 ? Rows() : apply(maps.gate, x, begin, count);
  const std::size_t width = value.columns() / model.num_heads;
  Rows result(count, value.columns());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t h = 0; h < model.num_heads; ++h) {
      std::vector<double> row(i + 1);
      for (std::size_t k = 0; k <= i; ++k) {
        for (std::size_t c = h * width; c < (h + 1) * width; ++c) row[k] += query(i, c) * key(k, c);
      }
      to_weights(model.attention, row);
      const double opening = gate.rows() == 0 ? 1 : logistic(gate(i, h));
      for (std::size_t k = 0; k <= i; ++k) {
        for (std::size_t c = h * width; c < (h + 1) * width; ++c) {
          result(i, c) += opening * row[k] * value(k, c);
        }
      }
    }
  }
  return result;
}

bool all_finite(const Rows& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      if (!std::isfinite(rows(i, j))) return false;
    }
  }
  return true;
}

Rows layer_output(const model::AttentionModel& model, const model::Layer& layer, const Rows& x,
                  std::size_t length) {
  const LayerMaps maps = maps_of(layer);
  Rows result(x.rows(), maps.output.weight.rows());
  for (std::size_t begin = 0; begin < x.rows(); begin += length) {
    const Rows mixed = attended(model, maps, x, begin, length);
    const Rows out = apply(maps.output, mixed, 0, length);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < out.columns(); ++j) {
        result(begin + i, j) = out(i, j) + (model.residual ? x(begin + i, j) : 0);
      }
    }
  }
  return result;
}

safetensors::Tensor float64_tensor(const Rows& rows) {
  safetensors::Tensor tensor;
  tensor.dtype = safetensors::Dtype::kF64;
  tensor.dtype_name = "F64";
  tensor.shape = {rows.rows(), rows.columns()};
  tensor.bytes.resize(rows.rows() * rows.columns() * sizeof(double));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      const double value = rows(i, j);
      std::memcpy(tensor.bytes.data() + (i * rows.columns() + j) * sizeof(double), &value,
                  sizeof(double));
    }
  }
  return tensor;
}

}  // namespace

exact::Result<std::vector<Rows>> forward(const model::AttentionModel& model, const Rows& tokens,
                                         std::size_t length) {
  if (tokens.columns() != model.d_model) {
    return exact::fail("SP1505", "the tokens",
                       "rows of " + std::to_string(tokens.columns()) +
                           " numbers where the model's d_model is " +
                           std::to_string(model.d_model));
  }
  std::vector<Rows> states = {tokens};
  for (const model::Layer& layer : model.layers) {
    Rows next = layer_output(model, layer, states.back(), length);
    if (!all_finite(next)) {
      return exact::fail("SP1510", "layer " + std::to_string(states.size() - 1),
                         "its outputs are not finite in doubles; there are no rows to measure");
    }
    states.push_back(std::move(next));
  }
  return states;
}

Rows to_doubles(const DyadicMatrix& rows) {
  Rows result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      result(i, j) = exact::to_double_estimate(rows.at(i, j));
    }
  }
  return result;
}

exact::Result<NamedFile> stack_inputs(const model::AttentionModel& model, const Rows& tokens,
                                      std::size_t length,
                                      std::map<std::string, std::string> metadata,
                                      std::string path) {
  const auto states = forward(model, tokens, length);
  if (!states) return tl::unexpected(states.error());
  safetensors::Contents contents;
  contents.metadata = std::move(metadata);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    contents.tensors["layers." + std::to_string(l) + ".input"] = float64_tensor((*states)[l]);
  }
  contents.tensors["output"] = float64_tensor(states->back());
  return named_file(std::move(path), safetensors::serialize(contents));
}

}  // namespace sinkproof::measure
