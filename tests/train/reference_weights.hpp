// A model's parameters by name, as the reference's structure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/parameters.hpp"
#include "train/reference.hpp"

namespace sinkproof::train {

inline std::vector<Attention> every_attention() {
  std::vector<Attention> all;
  for (const auto& kind : certificate::kAttentionKinds) all.push_back(kind.attention);
  return all;
}

// Where the members of a structure stand in a checkpoint.
template <typename T>
std::map<std::string, std::vector<T>*> members(reference::Weights<T>& weights) {
  return {{"W_Q.weight", &weights.query},    {"W_K.weight", &weights.key},
          {"W_V.weight", &weights.value},    {"W_O.weight", &weights.output},
          {"W_Q.bias", &weights.query_bias}, {"W_K.bias", &weights.key_bias},
          {"W_V.bias", &weights.value_bias}, {"W_O.bias", &weights.output_bias},
          {"W_G.weight", &weights.gate},     {"W_G.bias", &weights.gate_bias},
          {"sinks", &weights.sinks}};
}

// Every parameter the structure holds, by its name in a checkpoint.
template <typename T>
std::map<std::string, std::vector<T>*> named(reference::Weights<T>& weights) {
  std::map<std::string, std::vector<T>*> present;
  for (const auto& [name, values] : members(weights)) {
    if (!values->empty()) present[name] = values;
  }
  return present;
}

// The parameters of `shape` from their values; a missing name throws std::out_of_range.
template <typename T = double>
reference::Weights<T> reference_weights(const Shape& shape,
                                        const std::map<std::string, std::vector<float>>& tensors) {
  reference::Weights<T> weights;
  for (const Parameter& parameter : parameters(shape)) {
    const std::vector<float>& values = tensors.at(parameter.name);
    members(weights).at(parameter.name)->assign(values.begin(), values.end());
  }
  return weights;
}

}  // namespace sinkproof::train
