// config.json, the tensors and the folder: each thing that is not as LANGUAGE_RULES.md, 5.2, has it
// is refused by its code, with its name.
#include "language/config.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "certificate/strict.hpp"
#include "language/folder.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"
#include "tiny_model.hpp"

using namespace sinkproof;
using json::Value;

namespace {

std::string said(const exact::Error& error) {
  return error.code + " " + error.where + ": " + error.what;
}

// "" where it is read.
std::string refusal(const std::string& config) {
  const auto read =
      certificate::result_of([&] { return language::read_config(config, "config.json"); });
  return read ? "" : said(read.error());
}

// A model's config.json with other keys; null takes one away.
std::string config_with(const std::string& model_type, const Value& keys) {
  Value config = tiny_model(model_type, Value::object(), 1).config;
  config.merge_patch(keys);
  return config.dump();
}

struct Row {
  const char* model_type;
  const char* keys;   // JSON
  const char* named;  // the key the message names; "": read
};

constexpr Row kRows[] = {
    {"llama", R"({})", ""},
    {"gpt2", R"({"n_embd": null})", "n_embd"},
    {"gpt2", R"({"n_embd": 0})", "n_embd"},
    {"gpt2", R"({"n_embd": -8})", "n_embd"},
    {"gpt2", R"({"n_embd": "8"})", "n_embd"},
    {"gpt2", R"({"n_embd": 65537})", "n_embd"},
    {"gpt2", R"({"n_embd": 9})", "n_head"},
    {"gpt2", R"({"n_layer": 513})", "n_layer"},
    {"gpt2", R"({"n_head": 1025})", "n_head"},
    {"gpt2", R"({"n_head": [2]})", "n_head"},
    {"gpt2", R"({"head_dim": 3})", "head_dim"},
    {"gpt2", R"({"num_key_value_heads": 2})", "num_key_value_heads"},
    {"gpt2", R"({"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2})", ""},
    {"gpt2", R"({"hidden_size": 9})", "hidden_size"},
    {"gpt2", R"({"num_hidden_layers": 3})", "num_hidden_layers"},
    {"gpt2", R"({"max_position_embeddings": 40})", "max_position_embeddings"},
    {"gpt2", R"({"n_positions": 40, "max_position_embeddings": 40})", ""},
    {"gpt2", R"({"rope_theta": 10000})", "rope_theta"},
    {"gpt2", R"({"is_causal": true})", ""},
    {"gpt2", R"({"is_causal": false})", "is_causal"},
    {"qwen2", R"({"is_causal": false})", "is_causal"},
    {"llama", R"({"is_causal": 1})", "is_causal"},
    {"bert", R"({"is_causal": true})", "is_causal"},
    {"bert", R"({"is_causal": false})", "is_causal"},
    {"sinkproof", R"({"hidden_act": null, "mlp_bias": null})", ""},
    {"sinkproof", R"({"hidden_act": "relu"})", "hidden_act"},
    {"sinkproof", R"({"mlp_bias": false})", "mlp_bias"},
    {"sinkproof", R"({"intermediate_size": 5, "mlp_bias": true, "hidden_act": "gelu"})", ""},
    {"llama", R"({"unheard_of": 1})", "unheard_of"},
    {"llama", R"({"attention_multiplier": 0.5})", "attention_multiplier"},
    {"llama", R"({"residual_multiplier": 1})", "residual_multiplier"},
    {"mistral", R"({"logit_scale": 1})", "logit_scale"},
    {"qwen3", R"({"final_logit_softcapping": 30.0})", "final_logit_softcapping"},
    {"llama", R"({"per_layer_config": {}})", "per_layer_config"},
    {"llama", R"({"original_max_position_embeddings": 4096})", "original_max_position_embeddings"},
    {"llama", R"({"layer_types": ["full_attention", "full_attention"]})", "layer_types"},
    {"mistral", R"({"layer_types": ["full_attention", "full_attention"]})", "layer_types"},
    {"llama", R"({"sliding_window": 4})", "sliding_window"},
    {"mistral", R"({"use_sliding_window": false})", "use_sliding_window"},
    {"llama", R"({"quantization_config": {"quant_method": "gptq"}})", "quantization_config"},
    {"gpt2", R"({"quantization": {"bits": 4}})", "quantization"},
    {"llama", R"({"auto_map": {"AutoModel": "modeling_x.X"}})", "auto_map"},
    {"llama", R"({"auto_map": {}})", ""},
    {"llama", R"({"pruned_heads": {"0": [1]}})", "pruned_heads"},
    {"llama", R"({"pruned_heads": {}})", ""},
    {"bert", R"({"is_encoder_decoder": true})", "is_encoder_decoder"},
    {"llama", R"({"attn_implementation": "flash_attention_2"})", ""},
    {"llama", R"({"_attn_implementation": "author/kernel"})", "_attn_implementation"},
    {"llama", R"({"rope_interleaved": true})", "rope_interleaved"},
    {"qwen2", R"({"use_mrope": true})", "use_mrope"},
    {"mistral", R"({"attention_bias": true})", "attention_bias"},
    {"mistral", R"({"attention_bias": false})", ""},
    {"qwen2", R"({"attention_bias": false})", "attention_bias"},
    {"llama", R"({"mlp_bias": "no"})", "mlp_bias"},
    {"qwen3", R"({"mlp_bias": true})", "mlp_bias"},
    {"llama", R"({"partial_rotary_factor": 0.5})", "partial_rotary_factor"},
    {"llama", R"({"partial_rotary_factor": 1.0})", ""},
    {"llama", R"({"rope_parameters": {"partial_rotary_factor": 0.5}})",
     "rope_parameters.partial_rotary_factor"},
    {"gpt_neox", R"({"partial_rotary_factor": 0.5})", ""},
    {"gpt_neox", R"({"partial_rotary_factor": 0.25})", "partial_rotary_factor"},
    {"gpt_neox", R"({"rope_parameters": {"partial_rotary_factor": 0.25}})",
     "rope_parameters.partial_rotary_factor"},
    {"gpt_neox", R"({"rope_theta": 10000})", ""},
    {"gpt_neox", R"({"rope_theta": 500})", "rope_theta"},
    {"gpt_neox", R"({"rope_theta": 500, "rotary_emb_base": 500})", ""},
    {"gpt_neox", R"({"head_dim": 4})", "head_dim"},
    {"qwen2", R"({"rope_parameters": {"full_attention": {"rope_theta": 1000000.0},
       "sliding_attention": {"rope_theta": 10000.0}}})",
     "rope_parameters.full_attention"},
    {"llama", R"({"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
       "rope_scaling": {"rope_type": "linear", "factor": 4.0}})",
     "rope_parameters"},
    {"llama", R"({"rope_parameters": {"rope_type": "linear", "factor": 4},
       "rope_scaling": {"type": "linear", "factor": 4.0}})",
     ""},
    {"llama", R"({"rope_parameters": {"rope_type": "linear", "factor": 4}, "rope_scaling": {}})",
     ""},
    {"llama", R"({"rope_theta": 10000, "rope_parameters": {"rope_theta": 500000}})",
     "rope_parameters.rope_theta"},
    {"llama", R"({"rope_theta": 500000, "rope_parameters": {"rope_theta": 500000.0}})", ""},
    {"llama", R"({"rope_scaling": {"rope_type": "linear", "type": "yarn", "factor": 2}})",
     "rope_scaling.type"},
    {"llama", R"({"rope_scaling": {"rope_type": "linear", "type": "linear", "factor": 2}})", ""},
    {"llama", R"({"rope_scaling": {"rope_type": "default", "factor": 2}})", "rope_scaling.factor"},
    {"llama", R"({"rope_scaling": {"type": "linear", "factor": 2, "mrope_section": [1]}})",
     "rope_scaling.mrope_section"},
    {"llama", R"({"vocab_size": 0})", "vocab_size"},
    {"llama", R"({"intermediate_size": "5"})", "intermediate_size"},
    {"opt", R"({"layer_norm_eps": 0.001})", "layer_norm_eps"},
    {"opt", R"({"word_embed_proj_dim": 9})", "word_embed_proj_dim"},
    {"opt", R"({"scale_embeddings": true})", "scale_embeddings"},
    {"opt", R"({"do_layer_norm_before": false, "_remove_final_layer_norm": true})", ""},
    {"bert", R"({"directionality": "left"})", "directionality"},
    {"gpt_oss", R"({"swiglu_limit": 7.0, "num_local_experts": 4})", ""},
    {"gpt_oss", R"({"initial_context_length": 16})", "initial_context_length"},
    {"gpt_oss", R"({"rope_scaling": {"rope_type": "yarn", "factor": 2,
       "original_max_position_embeddings": 16}, "initial_context_length": 16,
       "max_position_embeddings": 32})",
     ""},
    {"gpt_oss", R"({"rope_scaling": {"rope_type": "yarn", "factor": 2,
       "original_max_position_embeddings": 16}, "initial_context_length": 32})",
     "initial_context_length"},
    {"qwen3", R"({"sliding_window": 4, "layer_types": ["full_attention", "sliding_attention"]})",
     "layer_types"},
    {"qwen3", R"({"layer_types": ["full_attention", "chunked_attention"]})", "layer_types"},
    {"qwen3", R"({"sliding_window": 4, "layer_types": ["full_attention", "full_attention"],
       "max_window_layers": 1})",
     ""},
    {"qwen3", R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 0,
       "layer_types": ["full_attention", "sliding_attention"]})",
     "layer_types"},
    {"qwen3", R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 1,
       "layer_types": ["full_attention", "sliding_attention"]})",
     ""},
    {"gpt2", R"({"scale_attn_weights": false})", "scale_attn_weights"},
    {"gpt2", R"({"scale_attn_weights": true})", ""},
    {"gpt2", R"({"scale_attn_by_inverse_layer_idx": true})", "scale_attn_by_inverse_layer_idx"},
    {"gpt2", R"({"add_cross_attention": true})", "add_cross_attention"},
    {"gpt2", R"({"activation_function": "quick_gelu"})", "activation_function"},
    {"gpt2", R"({"activation_function": 1})", "activation_function"},
    {"gpt2", R"({"layer_norm_epsilon": 0})", "layer_norm_epsilon"},
    {"gpt2", R"({"layer_norm_epsilon": -1})", "layer_norm_epsilon"},
    {"gpt2", R"({"layer_norm_epsilon": "1e-5"})", "layer_norm_epsilon"},
    {"gpt2", R"({"layer_norm_epsilon": true})", "layer_norm_epsilon"},
    {"gpt2", R"({"tie_word_embeddings": "yes"})", "tie_word_embeddings"},
    {"gpt2", R"({"sinkproof_attention": "none-such"})", "sinkproof_attention"},
    {"gpt2", R"({"sinkproof_attention": "softmax-sink"})", ""},
    {"llama", R"({"sinkproof_attention": "softmax"})", ""},
    {"llama", R"({"sinkproof_attention": "none-such"})", "sinkproof_attention"},
    {"mistral", R"({"sinkproof_attention": "softmax"})", "sinkproof_attention"},
    {"llama", R"({"sinkproof_window": 2})", "sinkproof_window"},
    {"gpt_oss", R"({"sinkproof_attention": "softmax-sink"})", "sinkproof_attention"},
    {"llama", R"({"top_k": -0, "temperature": 0.5})", ""},
    {"llama", R"({"num_key_value_heads": 3})", "num_key_value_heads"},
    {"llama", R"({"head_dim": 3})", "head_dim"},
    {"llama", R"({"head_dim": 65536})", "head_dim"},
    {"llama", R"({"rope_theta": 1})", "rope_theta"},
    {"llama", R"({"rope_theta": 1000000000000})", ""},
    {"llama", R"({"rope_theta": 1000000000001})", "rope_theta"},
    {"llama", R"({"rope_theta": "10000"})", "rope_theta"},
    {"llama", R"({"rope_scaling": 1})", "rope_scaling"},
    {"llama", R"({"rope_scaling": {}})", ""},
    {"llama", R"({"rope_scaling": {"type": "dynamic", "factor": 2}})", "rope_scaling.type"},
    {"llama", R"({"rope_scaling": {"rope_type": "longrope"}})", "rope_scaling.rope_type"},
    {"llama", R"({"rope_scaling": {"type": "linear"}})", "rope_scaling.factor"},
    {"llama", R"({"rope_scaling": {"type": "linear", "factor": 0}})", "rope_scaling.factor"},
    {"llama", R"({"rope_scaling": {"type": "linear", "factor": 2}})", ""},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "high_freq_factor": 4,
       "original_max_position_embeddings": 8}})",
     "rope_scaling.low_freq_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 4,
       "high_freq_factor": 4, "original_max_position_embeddings": 8}})",
     "rope_scaling.high_freq_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4}})",
     "max_position_embeddings"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4}, "max_position_embeddings": 1073741825})",
     "max_position_embeddings"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "beta_fast": 1},
       "max_position_embeddings": 8})",
     "rope_scaling.beta_fast"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "mscale": 1},
       "max_position_embeddings": 8})",
     "rope_scaling.mscale"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "truncate": 0},
       "max_position_embeddings": 8})",
     "rope_scaling.truncate"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "attention_factor": 0},
       "max_position_embeddings": 8})",
     "rope_scaling.attention_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4, "truncate": true}, "max_position_embeddings": 8})",
     "rope_scaling.truncate"},  // a key of yarn alone
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2}, "max_position_embeddings": 8})",
     ""},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2.5,
       "original_max_position_embeddings": 8}, "max_position_embeddings": 20})",
     ""},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 4,
       "original_max_position_embeddings": 32768}, "max_position_embeddings": 32768})",
     "max_position_embeddings"},  // Qwen's own advice: a factor of 1 to releases before 5
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2,
       "original_max_position_embeddings": 8}})",
     "max_position_embeddings"},
    {"llama", R"({"rope_parameters": {"rope_type": "yarn", "factor": 2,
       "original_max_position_embeddings": 8}, "max_position_embeddings": 8})",
     "max_position_embeddings"},
    {"gpt_neox", R"({"rotary_pct": 0})", "rotary_pct"},
    {"gpt_neox", R"({"rotary_pct": 2})", "rotary_pct"},
    {"gpt_neox", R"({"rotary_pct": 1})", ""},
    {"gpt_neox", R"({"use_parallel_residual": 1})", "use_parallel_residual"},
    {"mistral", R"({"sliding_window": 0})", "sliding_window"},
    {"mistral", R"({"sliding_window": 4})", ""},
    {"qwen2", R"({"sliding_window": 4, "use_sliding_window": 1})", "use_sliding_window"},
    {"qwen2", R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": -1})",
     "max_window_layers"},
    {"qwen2", R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 0})", ""},
    {"qwen3", R"({"sliding_window": 4, "use_sliding_window": true, "layer_types": ["x", "y"]})",
     "layer_types"},
    {"qwen3",
     R"({"sliding_window": 4, "use_sliding_window": true, "layer_types": ["full_attention"]})",
     "layer_types"},
    {"qwen2", R"({"sliding_window": 4, "use_sliding_window": true})", "max_window_layers"},
    {"qwen2", R"({"use_sliding_window": true, "max_window_layers": 0})", "sliding_window"},
    {"gpt_oss", R"({})", ""},
    {"gpt_oss", R"({"sliding_window": 4})", "layer_types"},
    {"gpt_oss", R"({"rope_theta": null})", "rope_theta"},
    {"gpt_oss",
     R"({"rope_theta": null, "rope_parameters": {"rope_theta": 2}, "rope_scaling": null})", ""},
    {"gpt_oss", R"({"rope_scaling": null})", "rope_scaling"},
    {"gpt_oss", R"({"rope_scaling": null, "rope_parameters": {}})", "rope_scaling"},
    {"opt", R"({"do_layer_norm_before": 0})", "do_layer_norm_before"},
    {"opt", R"({"_remove_final_layer_norm": 1})", "_remove_final_layer_norm"},
    {"bert", R"({"position_embedding_type": "relative_key"})", "position_embedding_type"},
    {"bert", R"({"is_decoder": true})", "is_decoder"},
};

// What reading a model says once its tensors are changed.
std::string after(const std::string& model_type, const Value& keys,
                  const std::function<void(std::map<std::string, safetensors::Tensor>&)>& change) {
  TinyModel tiny = tiny_model(model_type, keys, 1);
  change(tiny.kept);
  const auto model = tiny.read();
  return model ? "" : said(model.error());
}

}  // namespace

TEST_CASE(
    "Each key of config.json that is not computed here, missing or of another form is named") {
  for (const Row& row : kRows) {
    INFO(row.model_type << " " << row.keys);
    const std::string found = refusal(config_with(row.model_type, Value::parse(row.keys)));
    INFO(found);
    const std::string named = row.named;
    CHECK(found.starts_with(named.empty() ? "" : "SP2002"));
    CHECK(found.empty() == named.empty());
    CHECK(found.find(named.empty() ? "" : "key " + named + ":") != std::string::npos);
  }
}

TEST_CASE("A key whose absence means a value of its own to other programs must be there") {
  for (const auto& table : language::architectures()) {
    for (const std::string_view needed : table.needed) {
      const std::string key(needed);
      Value config = tiny_model(std::string(table.model_type), Value::object(), 1).config;
      config.erase(key);
      INFO(table.model_type << " " << key);
      CHECK(refusal(config.dump()).find("key " + key + ": is missing") != std::string::npos);
      config[key] = nullptr;
      CHECK(refusal(config.dump()).empty());
    }
  }
}

TEST_CASE("Logits are by the token embedding where it is tied, else by a head that is there") {
  const auto logits_of = [](const char* type, const Value& tie, bool has_head) {
    TinyModel tiny = tiny_model(type, Value::object(), 1);
    const language::Architecture& table = *language::find_architecture(type);
    tiny.config.erase("tie_word_embeddings");
    if (!tie.is_null()) tiny.config["tie_word_embeddings"] = tie;
    if (!has_head) tiny.kept.erase(std::string(table.head));
    const bool tied = tie.is_null() ? table.tied : tie.get<bool>();
    if (tied && has_head) {  // it must be the embedding
      const auto other = tiny.read();
      REQUIRE(!other.has_value());
      CHECK(said(other.error()).starts_with("SP2002"));
      CHECK(other.error().what.starts_with("key tie_word_embeddings: "));
      const std::string token(table.token);
      tiny.kept[std::string(table.head)] = tiny.kept.at(std::string(table.prefixes[0]) + token);
    }
    const auto model = tiny.read();
    REQUIRE(model.has_value());
    return !model->head ? "none" : model->head->weight == model->token ? "tied" : "own";
  };
  for (const char* type : {"gpt2", "opt", "llama", "gpt_neox"}) {
    INFO(type);
    const bool usually = std::string(type) == "gpt2" || std::string(type) == "opt";
    for (const bool has_head : {false, true}) {
      const std::string own = has_head ? "own" : "none";
      CHECK(logits_of(type, true, has_head) == std::string("tied"));
      CHECK(logits_of(type, false, has_head) == own);
      CHECK(logits_of(type, nullptr, has_head) == (usually ? "tied" : own));
    }
  }
}

TEST_CASE("Numbers of config.json are the decimals they are, and nothing else") {
  const auto with = [](const std::string& number) {
    return R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 1,
      "num_attention_heads": 2, "rms_norm_eps": )" +
           number + "}";
  };
  const auto epsilon = [&](const std::string& number) {
    const auto config =
        certificate::result_of([&] { return language::read_config(with(number), "config.json"); });
    return config ? exact::to_string(config->epsilon) : said(config.error());
  };
  CHECK(epsilon("1e-5") == "1/100000");
  CHECK(epsilon("1E-05") == "1/100000");
  CHECK(epsilon("0.1") == "1/10");
  CHECK(epsilon("2.5e+1") == "25");
  CHECK(epsilon("7") == "7");
  CHECK(epsilon("1e-1000") ==
        exact::to_string(exact::make_rational(1, pow(exact::Integer(10), 1000))));
  CHECK(epsilon("1e-1001").starts_with("SP2002"));
  CHECK(epsilon("0." + std::string(60, '1')).starts_with("SP2002"));
  CHECK(epsilon("-0.5").starts_with("SP2002"));
  CHECK(epsilon("1e400").starts_with("SP2002"));
  CHECK(epsilon("-0").starts_with("SP2002"));
  CHECK(epsilon("1, \"top_k\": [1e400, -0]") == "1");
  CHECK(epsilon("\"0.5\"").starts_with("SP2002"));
  CHECK(epsilon("[0.5]").starts_with("SP2002"));
  for (const char* constant : {"NaN", "Infinity", "-Infinity"}) {
    CHECK(epsilon(constant).starts_with("SP2002"));
    CHECK(epsilon(R"(1, "prefix": "\" NaN", "top_p": [)" + std::string(constant) + "]") == "1");
  }
  CHECK(epsilon("1, \"top_k\": 1" + std::string(300, '0')) == "1");
  for (const char* bad : {"01e400", "01", ".5", "0x1", "-NaN", "NaN0", "1,\"a\":1,\"a\":1"}) {
    INFO(bad);
    CHECK(epsilon(bad).starts_with("SP0301"));
  }
  CHECK(refusal("[]").starts_with("SP2002"));
  CHECK(refusal("{}").starts_with("SP2002"));
  CHECK(refusal(R"({"model_type": "gpt5"})").starts_with("SP2001"));
  CHECK(refusal(R"({"model_type": 1.5})").starts_with("SP2002"));
}

TEST_CASE("A tensor that is missing, of another shape or dtype, or that nothing reads is named") {
  const Value none = Value::object();
  for (const auto& table : language::architectures()) {
    const std::string type(table.model_type);
    CHECK(after(type, none, [](auto&) {}).empty());
    TinyModel tiny = tiny_model(type, none, 1);
    for (const auto& kept_one : tiny.kept) {
      const std::string& name = kept_one.first;
      INFO(type << " " << name);
      const std::string missing = after(type, none, [&](auto& kept) { kept.erase(name); });
      CHECK(missing.empty() == (name == table.head));
      if (!missing.empty()) CHECK(missing.starts_with("SP200"));
      const std::string reshaped =
          after(type, none, [&](auto& kept) { kept[name].shape.push_back(1); });
      CHECK(reshaped.starts_with("SP2003"));
      CHECK(reshaped.find(name) != std::string::npos);
      const std::string other =
          after(type, none, [&](auto& kept) { kept[name].dtype = safetensors::Dtype::kOther; });
      CHECK(other.find("dtype") != std::string::npos);
    }
  }
}

TEST_CASE("Parameters of layers that nothing reads, experts and an MLP without rows are refused") {
  const Value none = Value::object();
  const auto added = [&](const std::string& type, const std::string& name) {
    return after(type, none, [&](auto& kept) { kept[name] = output::float32_tensor({1}, {1}); });
  };
  CHECK(added("gpt2", "h.0.attn.bias").empty());
  CHECK(added("gpt2", "v_head.weight").empty());
  CHECK(added("gpt2", "score.weight").empty());
  CHECK(added("gpt2", "h.2.attn.bias").starts_with("SP2003"));
  CHECK(added("gpt2", "h.0.attn.rotary_emb.inv_freq").starts_with("SP2003"));
  CHECK(added("gpt2", "transformer.ln_emb.weight").starts_with("SP2003"));
  CHECK(added("gpt2", "wte.bias").starts_with("SP2003"));
  CHECK(added("gpt2", "lm_head.bias").starts_with("SP2003"));
  CHECK(added("llama", "model.norm.bias").starts_with("SP2003"));
  CHECK(added("llama", "layers.0.mlp.up_proj.weight").starts_with("SP2003"));
  CHECK(added("llama", "model.embed_positions.weight").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.self_attn.q_proj.weight_scale").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.self_attn.q_proj.lora_A.weight").starts_with("SP2003"));
  CHECK(added("llama", "lm_head.SCB").starts_with("SP2003"));
  CHECK(added("bert", "bert.pooler.dense.weight").empty());
  CHECK(added("bert", "bert.embeddings.position_ids").empty());
  CHECK(added("bert", "cls.predictions.bias").empty());
  CHECK(added("bert", "bert.embeddings.gamma").starts_with("SP2003"));
  CHECK(added("gpt2", "h.2.ln_1.weight").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.input_layernorm.bias").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.self_attn.rotary_emb.inv_freq").empty());
  CHECK(added("gpt_oss", "model.layers.1.mlp.experts.down_proj").find("experts") !=
        std::string::npos);
  CHECK(after("llama", none, [](auto& kept) {
          kept["model.layers.0.mlp.up_proj.weight"] = output::float32_tensor({0, 8}, {});
          kept["model.layers.0.mlp.gate_proj.weight"] = output::float32_tensor({0, 8}, {});
          kept["model.layers.0.mlp.down_proj.weight"] = output::float32_tensor({8, 0}, {});
        }).find("up_proj.weight is missing, empty") != std::string::npos);
}

TEST_CASE("A folder that is none, an index that lies and shards that disagree are refused") {
  namespace fs = std::filesystem;
  const output::TemporaryFolder folder;
  const TinyModel tiny = tiny_model("gpt2", Value::object(), 1);
  const auto put = [&](const std::string& file, const std::string& bytes) {
    REQUIRE(output::replace(folder / file, bytes).has_value());
  };
  const auto opened = [&] {
    const auto found = language::open_folder(folder.path());
    return found ? "" : said(found.error());
  };
  CHECK(opened().starts_with("SP2004"));
  put("config.json", tiny.config.dump());
  CHECK(opened().starts_with("SP2004"));
  const std::string whole = output::serialize({{}, tiny.kept});
  put("model.safetensors", whole);
  CHECK(opened().empty());
  for (std::size_t cut = 0; cut < whole.size(); cut += 97) {
    put("model.safetensors", whole.substr(0, cut));
    CHECK(opened().starts_with("SP04"));
  }
  fs::remove(folder / "model.safetensors");

  safetensors::Contents first;
  safetensors::Contents second;
  Value map = Value::object();
  for (const auto& [tensor, value] : tiny.kept) {
    (tensor.starts_with("h.0") ? first : second).tensors[tensor] = value;
    map[tensor] = tensor.starts_with("h.0") ? "a.safetensors" : "b.safetensors";
  }
  put("a.safetensors", output::serialize(first));
  put("b.safetensors", output::serialize(second));
  const auto index = [&](const Value& changed) {
    put("model.safetensors.index.json", Value({{"weight_map", changed}}).dump());
    return opened();
  };
  CHECK(index(map).empty());
  const auto with = [&](const std::string& tensor, const Value& shard) {
    Value changed = map;
    changed[tensor] = shard;
    return index(changed);
  };
  CHECK(with("wte.weight", "a.safetensors").starts_with("SP2005"));
  CHECK(with("wte.weight", "../b.safetensors").starts_with("SP2005"));
  CHECK(with("wte.weight", "/b.safetensors").starts_with("SP2005"));
  CHECK(with("wte.weight", "").starts_with("SP2005"));
  CHECK(with("wte.weight", "b.bin").starts_with("SP2005"));
  CHECK(with("wte.weight", 1).starts_with("SP2005"));
  CHECK(with("wte.weight", "0.safetensors").starts_with("SP0201"));
  CHECK(with("another", "a.safetensors").starts_with("SP2005"));
  Value fewer = map;
  fewer.erase("wte.weight");
  CHECK(index(fewer).starts_with("SP2005"));
  CHECK(index(Value::array()).starts_with("SP2005"));
  first.tensors["wte.weight"] = tiny.kept.at("wte.weight");
  put("a.safetensors", output::serialize(first));
  CHECK(index(map).starts_with("SP2005"));
}

TEST_CASE("A tensor that a key or the architecture decides on is there where it should be") {
  struct Case {
    const char* model_type;
    const char* keys;
    const char* tensor;  // added, or taken away where there is one
    const char* code;
    const char* named;
  };
  constexpr Case kCases[] = {
      {"llama", R"({})", "model.layers.0.self_attn.q_proj.bias", "SP2002", "attention_bias"},
      {"llama", R"({"attention_bias": false})", "model.layers.1.self_attn.o_proj.bias", "SP2002",
       "attention_bias"},
      {"llama", R"({"attention_bias": true})", "model.layers.0.self_attn.v_proj.bias", "SP2002",
       "attention_bias"},
      {"llama", R"({"mlp_bias": false})", "model.layers.0.mlp.down_proj.bias", "SP2002",
       "mlp_bias"},
      {"llama", R"({"mlp_bias": true})", "model.layers.0.mlp.gate_proj.bias", "SP2002", "mlp_bias"},
      {"mistral", R"({})", "model.layers.0.self_attn.k_proj.bias", "SP2003", "k_proj.bias"},
      {"qwen2", R"({})", "model.layers.0.self_attn.k_proj.bias", "SP2003", "k_proj.bias"},
      {"qwen2", R"({})", "model.layers.1.self_attn.o_proj.bias", "SP2003", "o_proj.bias"},
      {"qwen3", R"({"attention_bias": false})", "model.layers.0.self_attn.q_proj.bias", "SP2002",
       "attention_bias"},
      {"qwen3", R"({})", "model.layers.0.mlp.up_proj.bias", "SP2003", "up_proj.bias"},
      {"gpt_oss", R"({})", "model.layers.0.self_attn.o_proj.bias", "SP2002", "attention_bias"},
      {"gpt_oss", R"({"attention_bias": false})", "model.layers.0.self_attn.o_proj.bias", "SP2002",
       "attention_bias"},
      {"gpt_neox", R"({"attention_bias": false})", "gpt_neox.layers.0.attention.dense.bias",
       "SP2002", "attention_bias"},
      {"gpt_neox", R"({})", "gpt_neox.layers.0.mlp.dense_h_to_4h.bias", "SP2003", "4h.bias"},
      {"opt", R"({"enable_bias": false})", "model.decoder.layers.0.fc1.bias", "SP2002",
       "enable_bias"},
      {"opt", R"({})", "model.decoder.layers.0.fc2.bias", "SP2002", "enable_bias"},
      {"gpt2", R"({})", "h.0.attn.c_proj.bias", "SP2003", "c_proj.bias"},
  };
  for (const Case& one : kCases) {
    INFO(one.model_type << " " << one.keys << " " << one.tensor);
    CHECK(after(one.model_type, Value::parse(one.keys), [](auto&) {}).empty());
    const std::string found = after(one.model_type, Value::parse(one.keys), [&](auto& kept) {
      if (kept.erase(one.tensor) == 0)
        kept[one.tensor] = output::float32_tensor({8}, std::vector<float>(8, 1));
    });
    INFO(found);
    CHECK(found.starts_with(one.code));
    CHECK(found.find(one.named) != std::string::npos);
    CHECK(found.find(one.tensor) != std::string::npos);
  }
}

TEST_CASE("Sizes that config.json says are those of the tensors") {
  for (const auto& table : language::architectures()) {
    const std::string type(table.model_type);
    const auto with = [&](std::string_view key, std::size_t size) {
      return after(type, Value({{std::string(key), size}}), [](auto&) {});
    };
    INFO(type);
    for (const auto& [key, size] :
         {std::pair(table.vocabulary, kTinyTokens), std::pair(table.inner, std::size_t{5}),
          std::pair(table.positions, kTinyPositions), std::pair(table.types, std::size_t{2})}) {
      if (key.empty()) continue;
      CHECK(with(key, size).empty());
      CHECK(with(key, size + 1).find("key " + std::string(key) + ": is ") != std::string::npos);
    }
  }
}

TEST_CASE("OPT's keys take away norms' weights, the final norm and biases; BERT has old names") {
  const Value keys = {{"layer_norm_elementwise_affine", false}, {"do_layer_norm_before", false}};
  const auto take = [](std::map<std::string, safetensors::Tensor>& kept, const char* part) {
    std::erase_if(kept, [&](const auto& one) { return one.first.find(part) != std::string::npos; });
  };
  CHECK(after("opt", keys, [&](auto& kept) { take(kept, "norm"); }).empty());
  CHECK(after("opt", keys, [](auto&) {}).find("layer_norm_elementwise_affine") !=
        std::string::npos);
  const Value last = {{"_remove_final_layer_norm", true}};
  CHECK(after("opt", last, [](auto&) {}).starts_with("SP2003"));
  CHECK(after("opt", last, [&](auto& kept) { take(kept, "decoder.final_layer_norm"); }).empty());
  const auto renamed = [](auto& kept, const std::string& from, const std::string& to) {
    for (const auto& [name, tensor] : std::map(kept)) {
      const std::size_t at = name.find("LayerNorm." + from);
      if (at == std::string::npos) continue;
      kept[name.substr(0, at) + "LayerNorm." + to] = tensor;
      kept.erase(name);
    }
  };
  CHECK(after("bert", Value::object(), [&](auto& kept) {
          renamed(kept, "weight", "gamma");
          renamed(kept, "bias", "beta");
        }).empty());
  CHECK(after("bert", Value::object(), [&](auto& kept) {
          renamed(kept, "weight", "gamma");
        }).starts_with("SP2003"));
  CHECK(after("bert", Value::object(), [&](auto& kept) {
          kept["bert.embeddings.LayerNorm.gamma"] = kept.at("bert.embeddings.LayerNorm.weight");
        }).starts_with("SP2003"));
}

TEST_CASE("Keys are assumed neutral where they are there and nothing is computed with them") {
  const auto read = [](const char* type, const char* keys, const std::set<std::string>& assumed) {
    const auto config = certificate::result_of([&] {
      return language::read_config(config_with(type, Value::parse(keys)), "config.json", assumed);
    });
    return config ? "" : said(config.error());
  };
  struct Case {
    const char* type;
    const char* keys;
    std::set<std::string> assumed;
    const char* named;  // "": read
  };
  const Case cases[] = {
      {"llama", R"({"unheard_of": 1})", {"unheard_of"}, ""},
      {"llama", R"({"unheard_of": 1, "other": 2})", {"unheard_of"}, "other"},
      {"llama", R"({})", {"unheard_of"}, "unheard_of"},
      {"qwen2", R"({"is_causal": false})", {"is_causal"}, ""},
      {"llama",
       R"({"quantization_config": {}, "auto_map": 1})",
       {"auto_map", "quantization_config"},
       ""},
      {"llama",
       R"({"rope_scaling": {"type": "linear", "factor": 2, "finetuned": true}})",
       {"rope_scaling.finetuned"},
       ""},
      {"llama",
       R"({"rope_scaling": {"type": "linear", "factor": 2}})",
       {"rope_scaling.factor"},
       "rope_scaling.factor"},
      {"llama",
       R"({"rope_scaling": {"type": "linear", "factor": 2}})",
       {"rope_scaling.type"},
       "rope_scaling.factor"},
      {"llama",
       R"({"rope_scaling": {"type": "yarn", "factor": 2, "attention_factor": 3},
         "max_position_embeddings": 8})",
       {"rope_scaling.attention_factor"},
       "rope_scaling.attention_factor"},
      {"llama",
       R"({"rope_scaling": {"type": "dynamic", "factor": 2}})",
       {"rope_scaling"},
       "rope_scaling"},
      {"llama",
       R"({"rope_scaling": {"type": "linear", "factor": 2}, "rope_parameters": {}})",
       {"rope_parameters"},
       "rope_parameters"},
      {"llama", R"({"rope_theta": 500})", {"rope_theta"}, "rope_theta"},
      {"llama",
       R"({"rope_parameters": {"rope_theta": 500}})",
       {"rope_parameters.rope_theta"},
       "rope_parameters"},
      {"llama",
       R"({"rope_parameters": {"rope_theta": 500, "rope_type": "default"}})",
       {"rope_parameters.rope_theta"},
       "rope_parameters.rope_theta"},
      {"llama", R"({"rms_norm_eps": 0.1})", {"rms_norm_eps"}, "rms_norm_eps"},
      {"llama", R"({"attention_bias": true})", {"attention_bias"}, "attention_bias"},
      {"llama", R"({"hidden_act": "tanh"})", {"hidden_act"}, "hidden_act"},
      {"gpt2", R"({"sinkproof_window": 2})", {"sinkproof_window"}, "sinkproof_window"},
      {"gpt2",
       R"({"sinkproof_attention": "relu"})",
       {"sinkproof_attention"},
       "sinkproof_attention"},
      {"gpt2", R"({"hidden_size": 9})", {"hidden_size"}, "hidden_size"},
      {"opt",
       R"({"do_layer_norm_before": false})",
       {"do_layer_norm_before"},
       "do_layer_norm_before"},
      {"qwen3",
       R"({"sliding_window": 4, "use_sliding_window": true, "max_window_layers": 1})",
       {"use_sliding_window"},
       "use_sliding_window"},
      {"llama", R"({})", {"model_type"}, "model_type"},
  };
  for (const Case& one : cases) {
    INFO(one.type << " " << one.keys << " " << *one.assumed.begin());
    const std::string found = read(one.type, one.keys, one.assumed);
    INFO(found);
    CHECK(found.empty() == std::string(one.named).empty());
    if (!found.empty()) {
      CHECK(found.find("SP2002 config.json: key " + std::string(one.named) + ": ") == 0);
    }
  }
}

TEST_CASE("Tensors that nothing reads may have any dtype, and Git LFS pointers are named") {
  namespace fs = std::filesystem;
  const output::TemporaryFolder folder;
  TinyModel tiny = tiny_model("gpt2", Value::object(), 1);
  const auto opened = [&] {
    const auto found = language::open_folder(folder.path());
    return found ? "" : said(found.error());
  };
  const auto put = [&](const std::string& file, const std::string& bytes) {
    REQUIRE(output::replace(folder / file, bytes).has_value());
  };
  for (const char* dtype : {"BOOL", "I64", "F8_E8M0", "F4", "NEW_TYPE"}) {
    std::string bytes = output::serialize({{}, tiny.kept});
    put("config.json", tiny.config.dump());
    // One more tensor of this dtype, of 8 bytes.
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), 8);
    const std::size_t data = bytes.size() - 8 - size;
    std::string header = bytes.substr(8, size);
    header.resize(header.find_last_of('}'));
    header += ",\"score.other\":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[" +
              (std::string(dtype) == "I64" ? "1" : "8") + "],\"data_offsets\":[" +
              std::to_string(data) + "," + std::to_string(data + 8) + "]}}";
    size = header.size();
    std::string changed(8, '\0');
    std::memcpy(changed.data(), &size, 8);
    put("model.safetensors",
        changed + header + bytes.substr(bytes.size() - data) + std::string(8, 'x'));
    INFO(dtype);
    CHECK(opened() == "");
  }
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, '0') +
      "\nsize 9\n";
  for (const char* file : {"model.safetensors", "config.json"}) {
    put(file, pointer);
    INFO(file);
    CHECK(opened().starts_with("SP0205"));
    CHECK(opened().find("git lfs pull") != std::string::npos);
  }
}
