// GPT-NeoX and Pythia: query, key and value of a head side by side in one tensor; rotary positions
// on a share of a head's coordinates; attention and MLP read the same rows.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kGptNeox = {
    .model_type = "gpt_neox",
    .prefixes = {"gpt_neox.", ""},
    .default_epsilon = "1e-5",
    .default_activation = "gelu",
    .rotary_base = "rotary_emb_base",
    .rotary_share = "rotary_pct",
    .default_rotary_share = "0.25",
    .norm = Norm::kLayer,
    .parallel = "use_parallel_residual",
    .attention_biases = {"attention_bias"},
    .output_biases = {"attention_bias"},
    .token = "embed_in.weight",
    .layer = "layers.{}.",
    .attention_norm = "input_layernorm",
    .mlp_norm = "post_attention_layernorm",
    .final_norm = "final_layer_norm",
    .query = {"attention.query_key_value", 0, 3, true},
    .key = {"attention.query_key_value", 1, 3, true},
    .value = {"attention.query_key_value", 2, 3, true},
    .output = {"attention.dense"},
    .mlp = {.in = {"mlp.dense_h_to_4h"}, .gate = {}, .out = {"mlp.dense_4h_to_h"}},
    .layer_buffers = {"attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"},
    .model_buffers = {"rotary_emb.inv_freq"},
    .head = "embed_out.weight",
    .neutral = {"attention_probs_dropout_prob", "hidden_dropout", "hidden_dropout_prob",
                "is_decoder", "max_position_embeddings"},
};

}  // namespace sinkproof::language
