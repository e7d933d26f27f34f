// sinkproof's own, for small models that people train to take apart: no norms, learned positions,
// maps stored [out, in]. `sinkproof convert --folder` writes it.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {

const Architecture kSinkproof = {
    .model_type = "sinkproof",
    .prefixes = {""},
    .head_width = "head_dim",
    .epsilon = "",
    .default_epsilon = "1",  // there are no norms
    .default_activation = "relu",
    .positions = "max_position_embeddings",
    .norm = Norm::kNone,
    .attention_biases = {"attention_bias", false},
    .output_biases = {"attention_bias", false},
    .mlp_biases = {"mlp_bias", false},
    .head_biases = {"unembed_bias", false},
    .is_closed = true,
    .may_lack_mlp = true,
    .token = "embed.weight",
    .position = "positions.weight",
    .layer = "layers.{}.",
    .query = {"attention.query"},
    .key = {"attention.key"},
    .value = {"attention.value"},
    .output = {"attention.output"},
    .mlp = {.in = {"mlp.in"}, .gate = {}, .out = {"mlp.out"}},
    .head = "unembed.weight",
    .head_bias = "unembed.bias",
};

}  // namespace sinkproof::language
