// A language model's folder (model_type sinkproof) from the state dict of a small transformer as
// TransformerLens, or the code it grew from, names its tensors: embed.W_E, pos_embed.W_pos,
// blocks.N.attn.W_Q .., blocks.N.mlp.W_in .., unembed.W_U. Tensors are transposed; no value
// changes.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::model {

struct LensModel {
  std::string config;              // of config.json
  safetensors::Contents contents;  // of model.safetensors
  std::string convention;          // in words, which layout of the two the file has
};

// Where W_O has three dimensions the layout is TransformerLens's (rows times W: W_E [vocabulary,
// d], W_Q [heads, d, width]); where it has two, that of the code for arXiv:2301.05217 (W times
// columns: W_E [d, vocabulary], W_Q [heads, width, d]). What a state dict does not say is taken to
// be: no norms, logits over sqrt(head width), a causal mask. `activation` is of the MLP, "" where
// it is not told. SP1113: there is an MLP and no activation. SP1112: a tensor is missing, or there
// is one that is not read. SP1104: shapes that do not fit. SP0404: a dtype other than F64, F32,
// F16, BF16.
exact::Result<LensModel> lens_model(const safetensors::Contents& contents,
                                    const std::string& activation, const std::string& where);

}  // namespace sinkproof::model
