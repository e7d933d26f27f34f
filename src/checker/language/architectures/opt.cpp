// OPT: learned positions that start at row 2 of their table; keys that move its norms or take away
// what they multiply and add. Its epsilon is fixed.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kOpt = {
    .model_type = "opt",
    .prefixes = {"model.decoder.", "decoder.", ""},
    .epsilon = "",
    .default_epsilon = "1e-5",
    .activation = "activation_function",
    .default_activation = "relu",
    .inner = "ffn_dim",
    .positions = "max_position_embeddings",
    .norm = Norm::kLayer,
    .norm_before = "do_layer_norm_before",
    .no_final_norm = "_remove_final_layer_norm",
    .norm_weights = "layer_norm_elementwise_affine",
    .attention_biases = {"enable_bias"},
    .output_biases = {"enable_bias"},
    .mlp_biases = {"enable_bias"},
    .token = "embed_tokens.weight",
    .token_width = "word_embed_proj_dim",
    .project_in = {"project_in"},
    .project_out = {"project_out"},
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
    .model_buffers = {"version"},
    .head = "lm_head.weight",
    .tied = true,
    .neutral = {"activation_dropout", "dropout", "init_std", "is_decoder", "layerdrop"},
    .only = {{"learned_embeddings", "[true]"}, {"scale_embeddings", "[false, null]"}},
};

}  // namespace sinkproof::language
