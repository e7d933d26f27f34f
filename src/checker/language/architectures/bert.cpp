// BERT: an encoder. Every query sees every key; norms come after the sums; no logits.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kBert = {
    .model_type = "bert",
    .prefixes = {"bert.", ""},
    .default_epsilon = "1e-12",
    .default_activation = "gelu",
    .positions = "max_position_embeddings",
    .types = "type_vocab_size",
    .norm = Norm::kLayer,
    .norm_after = true,
    .bidirectional = true,
    .token = "embeddings.word_embeddings.weight",
    .position = "embeddings.position_embeddings.weight",
    .token_type = "embeddings.token_type_embeddings.weight",
    .embedding_norm = "embeddings.LayerNorm",
    .layer = "encoder.layer.{}.",
    .attention_norm = "attention.output.LayerNorm",
    .mlp_norm = "output.LayerNorm",
    .old_norms = true,
    .query = {"attention.self.query"},
    .key = {"attention.self.key"},
    .value = {"attention.self.value"},
    .output = {"attention.output.dense"},
    .mlp = {.in = {"intermediate.dense"}, .gate = {}, .out = {"output.dense"}},
    .model_buffers = {"embeddings.position_ids", "embeddings.token_type_ids", "pooler.dense.weight",
                      "pooler.dense.bias"},
    .neutral = {"attention_probs_dropout_prob", "hidden_dropout_prob", "language", "name",
                "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                "pooler_size_per_head", "pooler_type", "tie_word_embeddings"},
    .only = {{"directionality", R"(["bidi"])"},
             {"is_causal", "[false]"},
             {"is_decoder", "[false, null]"},
             {"position_embedding_type", R"(["absolute"])"}},
};

}  // namespace sinkproof::language
