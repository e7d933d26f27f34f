#include "model/forward_model.hpp"

#include "exact/bits.hpp"

namespace sinkproof::model {
namespace {

// A file's missing bias is zero.
forward::Affine affine(const exact::RationalMatrix& weight, std::vector<exact::Rational> bias) {
  bias.resize(weight.rows());
  return {weight, std::move(bias)};
}

void include(exact::Bits& bits, const forward::Affine& map) {
  for (std::size_t i = 0; i < map.weight.rows(); ++i) {
    for (std::size_t j = 0; j < map.weight.columns(); ++j) bits.include(map.weight(i, j));
    bits.include(map.bias[i]);
  }
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
  exact::Bits bits;
  bits.include(1);  // the scale
  for (const forward::AttentionBlock& block : result.blocks) {
    for (const forward::Affine* map :
         {&block.query, &block.key, &block.value, &block.output, &block.gate}) {
      include(bits, *map);
    }
    for (const exact::Rational& sink : block.sinks) bits.include(sink);
  }
  result.bits = bits.total();
  return result;
}

}  // namespace sinkproof::model
