// A language model as a list of blocks over the tensors of its files, which stay where they are:
// of a mapped file a matrix is read when a product needs it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/config.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::language {

// The rows of a map within the tensor that holds it: entry (o, i) of the map is entry (r, i) of the
// tensor, or (i, r) where `in_first`, r = o / group * stride + o % group + offset.
struct Map {
  const safetensors::View* weight = nullptr;
  const safetensors::View* bias = nullptr;  // null: none; its entry r
  std::size_t out = 0;
  std::size_t in = 0;
  bool in_first = false;
  std::size_t group = 1;
  std::size_t stride = 1;
  std::size_t offset = 0;

  [[nodiscard]] std::size_t source(std::size_t o) const {
    return o / group * stride + o % group + offset;
  }
  // Index of entry (o, i) in the tensor.
  [[nodiscard]] std::size_t index(std::size_t o, std::size_t i) const {
    return in_first ? i * weight->shape[1] + source(o) : source(o) * in + i;
  }
};

// y -> weight * normalised(y) + bias, by coordinate; over each head's coordinates where it is of
// queries or keys.
struct NormWeights {
  const safetensors::View* weight = nullptr;  // [n]; null: ones
  const safetensors::View* bias = nullptr;    // [n], or null
};

struct Layer {
  NormWeights attention_norm;
  NormWeights mlp_norm;  // of no weight where there is no MLP
  Map query, key, value, output;
  std::optional<NormWeights> query_norm, key_norm;
  const safetensors::View* sinks = nullptr;  // [heads]
  std::optional<Map> gate;                   // [heads, width]
  std::optional<Map> mlp_in, mlp_gate, mlp_out;
};

struct Model {
  Config config;
  const safetensors::View* token = nullptr;       // [vocabulary, token width]
  std::optional<Map> project_in, project_out;     // where the token width is not the width
  const safetensors::View* position = nullptr;    // [offset + positions, width], or null
  const safetensors::View* token_type = nullptr;  // its row 0 is added; or null
  std::optional<NormWeights> embedding_norm;
  std::vector<Layer> layers;
  std::optional<NormWeights> final_norm;
  std::optional<Map> head;  // logits, of rows of the token width; none: an encoder

  [[nodiscard]] std::size_t vocabulary() const { return token->shape[0]; }
  // What every verdict and figure about it says beside it: keys of config.json that are assumed to
  // change nothing, and what makes it another model than the one transformers runs. "" where there
  // is neither.
  [[nodiscard]] std::string remarks() const;
  // Of which texts enclosures of its rows are true, beyond the token ids they were computed on:
  // claim ca-1, of models whose rows depend on earlier tokens alone. "" of an encoder.
  [[nodiscard]] std::string scope() const;
  // The most tokens of a sequence; none: no learned positions.
  [[nodiscard]] std::optional<std::size_t> positions() const;
};

using Tensors = std::map<std::string, safetensors::View>;

// The model in these tensors, which have to outlive it. Throws Rejected: SP2003: a tensor is
// missing, of another shape or dtype (F64, F32, F16 and BF16 are read), or is a parameter of the
// model that nothing reads. SP0405: one that is read holds a NaN or an infinity. SP2002: a key of
// config.json says that a tensor is there, or not, or how large it is, or that the head is tied,
// and the tensors are otherwise (both are named).
Model read_model(const Config& config, const Tensors& tensors, const std::string& where);

}  // namespace sinkproof::language
