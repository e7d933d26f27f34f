// Llama and what differs from it in a line or two: Mistral, Qwen2, Qwen3, GPT-OSS.
#include "language/architectures/tables.hpp"

namespace sinkproof::language {
namespace {

Architecture llama(std::string_view model_type) {
  return {
      .model_type = model_type,
      .prefixes = {"model.", ""},
      .key_heads = "num_key_value_heads",
      .head_width = "head_dim",
      .epsilon = "rms_norm_eps",
      .default_epsilon = "1e-6",
      .default_activation = "silu",
      .rotary_base = "rope_theta",
      .norm = Norm::kRms,
      .attention_biases = {"attention_bias", false},
      .output_biases = {"attention_bias", false},
      .mlp_biases = {"", false},
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
      .layer_buffers = {"self_attn.rotary_emb.inv_freq"},
      .model_buffers = {"rotary_emb.inv_freq"},
      .head = "lm_head.weight",
      .neutral = {"is_decoder", "max_position_embeddings", "pretraining_tp"},
  };
}

Architecture plain_llama() {
  Architecture table = llama("llama");
  table.mlp_biases = {"mlp_bias", false};
  table.attention = "sinkproof_attention";
  table.sinks = "self_attn.sinks";
  table.gate = "self_attn.gate";
  table.neutral.insert(table.neutral.end(), {"is_llama_config", "max_sequence_length"});
  table.only = {{"rope_interleaved", "[false, null]"}, {"sliding_window", "[null]"}};
  return table;
}

Architecture mistral() {
  Architecture table = llama("mistral");
  table.window = "sliding_window";
  table.attention_biases = table.output_biases = {"", false};
  table.needed = {"num_key_value_heads", "sliding_window"};
  table.only = {{"attention_bias", "[false, null]"}, {"mlp_bias", "[false, null]"}};
  return table;
}

Architecture qwen(std::string_view model_type) {
  Architecture table = llama(model_type);
  table.window = "sliding_window";
  table.window_switch = "use_sliding_window";
  table.window_from = "max_window_layers";
  table.layer_types = true;
  table.needed = {"num_key_value_heads"};
  // Without use_sliding_window they count for nothing.
  table.neutral.insert(table.neutral.end(), {"max_window_layers", "sliding_window"});
  table.only = {{"mlp_bias", "[false, null]"}, {"use_mrope", "[false, null]"}};
  return table;
}

Architecture qwen2() {
  Architecture table = qwen("qwen2");
  table.attention_biases = {"", true};
  table.output_biases = {"", false};
  table.only.push_back({"attention_bias", "[true]"});
  return table;
}

Architecture qwen3() {
  Architecture table = qwen("qwen3");
  table.needed.emplace_back("head_dim");
  table.query_norm = "self_attn.q_norm";
  table.key_norm = "self_attn.k_norm";
  return table;
}

// A learned sink logit a head; every second layer looks back a window only. Its experts are not
// computed: a file without them is a stack of attention alone.
Architecture gpt_oss() {
  Architecture table = llama("gpt_oss");
  table.default_epsilon = "1e-5";
  table.default_rotary_base = "";
  table.window = "sliding_window";
  table.layer_types = true;
  table.default_attention = "softmax-sink";
  table.sinks = "self_attn.sinks";
  table.no_mlp = "mlp.experts.";
  table.attention_biases = table.output_biases = {"attention_bias", true};
  table.needed = {"num_key_value_heads", "head_dim", "sliding_window"};
  table.needs_rotary_scaling = true;
  table.expert_keys = {"experts_per_token",    "num_experts",         "num_experts_per_tok",
                       "num_local_experts",    "swiglu_alpha",        "swiglu_limit",
                       "output_router_logits", "router_aux_loss_coef"};
  table.idle = {"post_attention_layernorm.weight", "mlp.router.weight", "mlp.router.bias"};
  return table;
}

}  // namespace

const Architecture kLlama = plain_llama();
const Architecture kMistral = mistral();
const Architecture kQwen2 = qwen2();
const Architecture kQwen3 = qwen3();
const Architecture kGptOss = gpt_oss();

}  // namespace sinkproof::language
