#include "model/forward_model.hpp"

namespace sinkproof::model {
namespace {

// A file's missing bias is zero.
forward::Affine affine(const exact::RationalMatrix& weight, std::vector<exact::Rational> bias) {
  bias.resize(weight.rows());
  return {weight, std::move(bias)};
}

}  // namespace

forward::Model forward_model(const AttentionModel& model) {
  forward::Model result;
  result.width = model.d_model;
  for (const Layer& layer : model.layers) {
    result.blocks.push_back(
        {certificate::kind_of(model.attention), model.num_heads, 1, model.residual,
         affine(layer.query, layer.query_bias), affine(layer.key, layer.key_bias),
         affine(layer.value, layer.value_bias), affine(layer.output, layer.output_bias),
         affine(layer.gate, layer.gate_bias), layer.sinks});
  }
  return result;
}

}  // namespace sinkproof::model
