#include "certify/layer.hpp"

#include <algorithm>

#include "model/folded_layer.hpp"

namespace sinkproof::certify {

Layer make_layer(const model::AttentionModel& model) {
  model::FoldedLayer folded = model::fold(model, 0);
  Layer layer;
  layer.attention = model.attention;
  layer.constant = std::move(folded.constant);
  for (const auto& entry : layer.constant) {
    layer.constant_float.push_back(estimate(entry));
  }
  for (model::FoldedHead& maps : folded.heads) {
    layer.heads.push_back(
        make_head(std::move(maps.logit), std::move(maps.value), model.box, model.length));
  }
  if (!layer.is_gated()) return layer;
  const model::Layer& source = model.layers.front();
  for (std::size_t h = 0; h < model.num_heads; ++h) {
    Gate gate;
    gate.bias = source.gate_bias[h];
    gate.bias_float = estimate(gate.bias);
    for (std::size_t c = 0; c < model.d_model; ++c) {
      gate.weight.push_back(folded.gates(h, c));
      gate.weight_float.push_back(estimate(gate.weight.back()));
    }
    layer.gates.push_back(std::move(gate));
  }
  return layer;
}

}  // namespace sinkproof::certify
