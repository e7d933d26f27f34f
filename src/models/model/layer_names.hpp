// Whose tensor is whose: attention layers in a file whose names are not ours, found by a table of
// what others call them, and the layers' common prefixes (`module.`, `transformer.h.3.attn.`).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "safetensors/safetensors.hpp"

namespace sinkproof::model {

// Part `part` of the `parts` equal ones that a tensor has along its out dimension.
struct TensorPart {
  std::string tensor;
  std::size_t part = 0;
  std::size_t parts = 1;
};

struct LayerNames {
  std::string prefix;                         // of its tensors in the file
  std::map<std::string, TensorPart> tensors;  // by our names: "W_Q.weight"
};

struct ModelNames {
  std::vector<LayerNames> layers;   // in the order of the model where `numbered`, else of names
  bool numbered = true;             // one layer, or all differ in one number alone, 0 to D - 1
  std::vector<std::string> others;  // tensors of no layer, in name order
};

// Whether it is a buffer, of TransformerLens (mask, IGNORE) or GPT-2 (bias, masked_bias), whose
// values say that no query sees a later key.
bool is_causality(const std::string& name, const safetensors::Tensor& tensor);

// Layers are the prefixes under which W_Q, W_K, W_V and W_O all have a weight. What
// is_causality is of no layer and not among the others either.
ModelNames find_layers(const safetensors::Contents& contents);

}  // namespace sinkproof::model
