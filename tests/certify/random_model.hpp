// A model with biases, gates and sinks if its kind has them; entries are 128ths, up to `reach` of
// them.
#pragma once

#include <random>

#include "model/attention_model.hpp"

namespace sinkproof::test {

inline model::AttentionModel random_model(std::mt19937_64& random, std::size_t n,
                                          std::size_t length, model::Attention attention,
                                          std::size_t heads, std::size_t depth = 1,
                                          bool residual = false, int reach = 100) {
  const auto vector = [&](std::size_t size) {
    std::vector<exact::Rational> v(size);
    for (auto& entry : v) {
      entry = exact::make_rational(static_cast<int>(random() % (2 * reach + 1)) - reach, 128);
    }
    return v;
  };
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    return exact::RationalMatrix(rows, columns, vector(rows * columns));
  };
  const std::size_t wide = heads * n;
  model::AttentionModel result;
  result.attention = attention;
  result.d_model = n;
  result.length = length;
  result.num_heads = heads;
  result.residual = residual;
  for (std::size_t l = 0; l < depth; ++l) {
    model::Layer layer{matrix(wide, n), matrix(wide, n), matrix(wide, n), matrix(n, wide)};
    layer.query_bias = vector(wide);
    layer.key_bias = vector(wide);
    layer.value_bias = vector(wide);
    layer.output_bias = vector(n);
    if (attention == model::Attention::kSoftmaxGated) {
      layer.gate = matrix(heads, n);
      layer.gate_bias = vector(heads);
    }
    if (certificate::kind_of(attention).sinks) layer.sinks = vector(heads);
    result.layers.push_back(std::move(layer));
  }
  return result;
}

}  // namespace sinkproof::test
