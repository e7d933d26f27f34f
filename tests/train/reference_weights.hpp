// A model's parameters by name, as the reference's structure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stack_reference.hpp"
#include "train/parameters.hpp"

namespace sinkproof::train {

inline std::vector<Attention> every_attention() {
  std::vector<Attention> all;
  for (const auto& kind : certificate::kAttentionKinds) all.push_back(kind.attention);
  return all;
}

// A layer's arrays by their names; one without biases, gates or sinks has those empty.
template <typename T>
std::map<std::string, std::vector<T>*> arrays(reference::Weights<T>& weights) {
  return {{"W_Q.weight", &weights.query},    {"W_K.weight", &weights.key},
          {"W_V.weight", &weights.value},    {"W_O.weight", &weights.output},
          {"W_Q.bias", &weights.query_bias}, {"W_K.bias", &weights.key_bias},
          {"W_V.bias", &weights.value_bias}, {"W_O.bias", &weights.output_bias},
          {"W_G.weight", &weights.gate},     {"W_G.bias", &weights.gate_bias},
          {"sinks", &weights.sinks}};
}

// Every parameter the stack holds, by its name in a checkpoint.
template <typename T>
std::map<std::string, std::vector<T>*> named(reference::Stack<T>& weights) {
  std::map<std::string, std::vector<T>*> present;
  for (std::size_t l = 0; l < weights.size(); ++l) {
    const std::string prefix = weights.size() == 1 ? "" : "layers." + std::to_string(l) + ".";
    for (const auto& [name, values] : arrays(weights[l])) {
      if (!values->empty()) present[prefix + name] = values;
    }
  }
  return present;
}

// The parameters of `shape` from their values; a missing name throws std::out_of_range.
template <typename T = double>
reference::Stack<T> reference_weights(const Shape& shape,
                                      const std::map<std::string, std::vector<float>>& tensors) {
  reference::Stack<T> weights(shape.layers);
  std::map<std::string, std::vector<T>*> all;
  for (std::size_t l = 0; l < shape.layers; ++l) {
    const std::string prefix = shape.layers == 1 ? "" : "layers." + std::to_string(l) + ".";
    for (const auto& [name, values] : arrays(weights[l])) all[prefix + name] = values;
  }
  for (const Parameter& parameter : parameters(shape)) {
    const std::vector<float>& values = tensors.at(parameter.name);
    all.at(parameter.name)->assign(values.begin(), values.end());
  }
  return weights;
}

}  // namespace sinkproof::train
