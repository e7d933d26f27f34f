#include "model/forward_model.hpp"

namespace sinkproof::model {
namespace {

// A file's missing bias is zero.
forward::Affine affine(const exact::RationalMatrix& weight, std::vector<exact::Rational> bias) {
  bias.resize(weight.rows());
  return {weight, std::move(bias)};
}

// W_Q as the file has it: the checker's pass rounds before it scales.
forward::Affine unscaled_query(const Layer& layer, const exact::Rational& scale) {
  forward::Affine query = affine(layer.query, layer.query_bias);
  if (scale == 1) return query;
  for (std::size_t i = 0; i < query.weight.rows(); ++i) {
    for (std::size_t j = 0; j < query.weight.columns(); ++j) query.weight(i, j) /= scale;
    query.bias[i] /= scale;
  }
  return query;
}

}  // namespace

forward::Model forward_model(const AttentionModel& model) {
  forward::Model result;
  result.width = model.d_model;
  for (const Layer& layer : model.layers) {
    result.blocks.push_back(
        {certificate::kind_of(model.attention), model.num_heads, model.scale, model.residual,
         unscaled_query(layer, model.scale), affine(layer.key, layer.key_bias),
         affine(layer.value, layer.value_bias), affine(layer.output, layer.output_bias),
         affine(layer.gate, layer.gate_bias), layer.sinks});
  }
  return result;
}

}  // namespace sinkproof::model
