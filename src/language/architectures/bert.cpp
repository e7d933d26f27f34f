// BERT: an encoder. Every query sees every key; norms come after the sums; no logits.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kBert = {
    .model_type = "bert",
    .prefixes = {"bert.", ""},
    .default_epsilon = "1e-12",
    .default_activation = "gelu",
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
    .query = {"attention.self.query"},
    .key = {"attention.self.key"},
    .value = {"attention.self.value"},
    .output = {"attention.output.dense"},
    .mlp = {.in = {"intermediate.dense"}, .gate = {}, .out = {"output.dense"}},
    .must = {{"position_embedding_type", "\"absolute\""}, {"is_decoder", "false"}},
};

}  // namespace sinkproof::language
