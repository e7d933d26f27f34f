// GPT-2. Its maps are stored [in, out]; query, key and value in one tensor.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kGpt2 = {
    .model_type = "gpt2",
    .prefixes = {"", "transformer."},
    .width = "n_embd",
    .layers = "n_layer",
    .heads = "n_head",
    .epsilon = "layer_norm_epsilon",
    .default_epsilon = "1e-5",
    .activation = "activation_function",
    .default_activation = "gelu_new",
    .window = "sinkproof_window",
    .norm = Norm::kLayer,
    .in_first = true,
    .token = "wte.weight",
    .position = "wpe.weight",
    .layer = "h.{}.",
    .attention_norm = "ln_1",
    .mlp_norm = "ln_2",
    .final_norm = "ln_f",
    .query = {"attn.c_attn", 0, 3},
    .key = {"attn.c_attn", 1, 3},
    .value = {"attn.c_attn", 2, 3},
    .output = {"attn.c_proj"},
    .sinks = "attn.sinks",
    .gate = "attn.gate",
    .mlp = {.in = {"mlp.c_fc"}, .gate = {}, .out = {"mlp.c_proj"}},
    .head = "lm_head.weight",
    .tied = true,
    .must = {{"scale_attn_weights", "true"},
             {"scale_attn_by_inverse_layer_idx", "false"},
             {"add_cross_attention", "false"},
             {"sinkproof_prefix", "null"}},
};

}  // namespace sinkproof::language
