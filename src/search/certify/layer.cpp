#include "certify/layer.hpp"

#include "model/forward_model.hpp"

namespace sinkproof::certify {

Layer make_layer(const model::AttentionModel& model) {
  Layer layer;
  layer.attention = model.attention;
  layer.exact = check::one_layer(model::forward_model(model), model.length, model.box);
  for (const auto& entry : layer.exact.constant) layer.constant_float.push_back(estimate(entry));
  for (const check::Head& head : layer.exact.heads) {
    layer.heads.push_back(make_head(head, model.box));
  }
  for (const check::Gate& exact : layer.exact.gates) {
    Gate& gate = layer.gates.emplace_back();
    gate.bias_float = estimate(exact.bias);
    for (const auto& entry : exact.weight.values()) gate.weight_float.push_back(estimate(entry));
  }
  return layer;
}

}  // namespace sinkproof::certify
