// A checkpoint in the layout that certificates are about (docs/DESIGN.md), made from one in
// another: tensors are renamed, split, transposed and padded, and no value changes, but for W_Q
// where the scale is irrational. What a head narrower than d_model lacks is filled with zeros,
// which add nothing to its logits or its output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/error.hpp"
#include "model/attention_model.hpp"
#include "model/layer_names.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::model {

struct Conversion {
  Overrides says;                // what the file does not say, or says otherwise; not its box
  std::vector<std::string> map;  // OLD=NEW for a tensor's name; OLD= leaves the tensor out
  std::string only;              // a prefix: all other tensors are left out; "" for none
};

struct Converted {
  safetensors::Contents contents;
  AttentionModel model;            // as anybody will read it
  std::vector<LayerNames> layers;  // what was taken for what
  std::vector<std::string> notes;  // in what it differs from the original
};

// Metadata of the file stay, but for what `says` says. SP1112: no attention layer, several that no
// number orders, or a tensor that belongs to none. SP1113: neither file nor `says` knows the kind
// of attention, the number of heads, the scale of logits or, of several layers, whether there are
// residual connections: each guess would be another model. SP1114: a bad `map` or `only`. SP1104:
// shapes that do not fit. And the errors of model::read about the result.
// A scale 1/sqrt(n) that is irrational is folded: each entry of W_Q, weight and bias, becomes the
// F64 nearest to entry / sqrt(n), `scale` 1, and the metadata key `folded_scale` has the text.
exact::Result<Converted> convert(const safetensors::Contents& contents,
                                 const Conversion& conversion, const std::string& where);

// The same without a suggestion in its errors: what suggestions are made from.
exact::Result<Converted> try_to_convert(const safetensors::Contents& contents,
                                        const Conversion& conversion, const std::string& where);

}  // namespace sinkproof::model
