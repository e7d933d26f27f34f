// The tables of architecture.hpp.
#include <algorithm>

#include "language/architecture.hpp"

namespace sinkproof::language {
namespace {

// BERT: an encoder. Every query sees every key; norms come after the sums; no logits.
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

// GPT-2. Its maps are stored [in, out]; query, key and value in one tensor.
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
    .must = {{"scale_attn_weights", "true"},
             {"scale_attn_by_inverse_layer_idx", "false"},
             {"add_cross_attention", "false"},
             {"sinkproof_prefix", "null"}},
};

// GPT-NeoX and Pythia: query, key and value of a head side by side in one tensor; rotary positions
// on a share of a head's coordinates; attention and MLP read the same rows.
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
    .head = "embed_out.weight",
};

// Llama and what differs from it in a line or two: Mistral, Qwen2, Qwen3, GPT-OSS.
Architecture llama(std::string_view model_type) {
  return {
      .model_type = model_type,
      .prefixes = {"model.", ""},
      .epsilon = "rms_norm_eps",
      .default_epsilon = "1e-6",
      .default_activation = "silu",
      .rotary_base = "rope_theta",
      .norm = Norm::kRms,
      .token = "embed_tokens.weight",
      .layer = "layers.{}.",
      .attention_norm = "input_layernorm",
      .mlp_norm = "post_attention_layernorm",
      .final_norm = "norm",
      .query = {"self_attn.q_proj"},
      .key = {"self_attn.k_proj"},
      .value = {"self_attn.v_proj"},
      .output = {"self_attn.o_proj"},
      .mlp = {.in = {"mlp.up_proj"}, .gate = {"mlp.gate_proj"}, .out = {"mlp.down_proj"}},
      .head = "lm_head.weight",
  };
}

Architecture mistral() {
  Architecture table = llama("mistral");
  table.window = "sliding_window";
  return table;
}

Architecture qwen(std::string_view model_type) {
  Architecture table = llama(model_type);
  table.window = "sliding_window";
  table.window_switch = "use_sliding_window";
  table.window_from = "max_window_layers";
  table.layer_types = true;
  return table;
}

Architecture qwen3() {
  Architecture table = qwen("qwen3");
  table.query_norm = "self_attn.q_norm";
  table.key_norm = "self_attn.k_norm";
  return table;
}

// A learned sink logit a head; every second layer looks back a window only. Its experts are not
// computed: a file without them is a stack of attention alone.
Architecture gpt_oss() {
  Architecture table = llama("gpt_oss");
  table.default_epsilon = "1e-5";
  table.window = "sliding_window";
  table.layer_types = true;
  table.default_attention = "softmax-sink";
  table.sinks = "self_attn.sinks";
  table.no_mlp = "mlp.experts.";
  table.idle = {"post_attention_layernorm.weight", "mlp.router.weight", "mlp.router.bias"};
  return table;
}

// OPT: learned positions that start at row 2 of their table.
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
    .must = {{"do_layer_norm_before", "true"}, {"_remove_final_layer_norm", "false"}},
};

}  // namespace

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all = {
      kBert, kGptNeox, gpt_oss(), kGpt2, llama("llama"), mistral(), kOpt, qwen("qwen2"), qwen3()};
  return all;
}

const Architecture* find_architecture(std::string_view model_type) {
  const auto found =
      std::find_if(architectures().begin(), architectures().end(),
                   [&](const Architecture& table) { return table.model_type == model_type; });
  return found == architectures().end() ? nullptr : &*found;
}

}  // namespace sinkproof::language
