// OPT: learned positions that start at row 2 of their table.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kOpt = {
    .model_type = "opt",
    .prefixes = {"model.decoder.", "decoder.", ""},
    .default_epsilon = "1e-5",
    .activation = "activation_function",
    .default_activation = "relu",
    .norm = Norm::kLayer,
    .token = "embed_tokens.weight",
    .position = "embed_positions.weight",
    .position_offset = 2,
    .layer = "layers.{}.",
    .attention_norm = "self_attn_layer_norm",
    .mlp_norm = "final_layer_norm",
    .final_norm = "final_layer_norm",
    .query = {"self_attn.q_proj"},
    .key = {"self_attn.k_proj"},
    .value = {"self_attn.v_proj"},
    .output = {"self_attn.out_proj"},
    .mlp = {.in = {"fc1"}, .gate = {}, .out = {"fc2"}},
    .head = "lm_head.weight",
    .tied = true,
    .must = {{"do_layer_norm_before", "true"}, {"_remove_final_layer_norm", "false"}},
};

}  // namespace sinkproof::language
