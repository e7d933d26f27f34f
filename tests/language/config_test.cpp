// config.json, the tensors and the folder: each thing that is not as LANGUAGE_RULES.md, 5.2, has it
// is refused by its code, with its name.
#include "language/config.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "certificate/strict.hpp"
#include "language/folder.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
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
    {"gpt2", R"({"num_key_value_heads": 3, "head_dim": 3})", ""},
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
    {"llama", R"({"sinkproof_attention": "softmax-sink"})", "sinkproof_attention"},
    {"llama", R"({"sinkproof_attention": "softmax-gated"})", "sinkproof_attention"},
    {"llama", R"({"num_key_value_heads": 3})", "num_key_value_heads"},
    {"llama", R"({"head_dim": 3})", "head_dim"},
    {"llama", R"({"head_dim": 65536})", "head_dim"},
    {"llama", R"({"rope_theta": 1})", "rope_theta"},
    {"llama", R"({"rope_theta": 1000000001})", "rope_theta"},
    {"llama", R"({"rope_theta": "10000"})", "rope_theta"},
    {"llama", R"({"rope_scaling": 1})", "rope_scaling"},
    {"llama", R"({"rope_scaling": {}})", ""},
    {"llama", R"({"rope_scaling": {"type": "dynamic", "factor": 2}})", "type"},
    {"llama", R"({"rope_scaling": {"rope_type": "longrope"}})", "rope_type"},
    {"llama", R"({"rope_scaling": {"type": "linear"}})", "factor"},
    {"llama", R"({"rope_scaling": {"type": "linear", "factor": 0}})", "factor"},
    {"llama", R"({"rope_scaling": {"type": "linear", "factor": 2}})", ""},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "high_freq_factor": 4,
       "original_max_position_embeddings": 8}})",
     "low_freq_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 4,
       "high_freq_factor": 4, "original_max_position_embeddings": 8}})",
     "high_freq_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4}})",
     "max_position_embeddings"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4}, "max_position_embeddings": 1073741825})",
     "max_position_embeddings"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "beta_fast": 1},
       "max_position_embeddings": 8})",
     "beta_fast"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "mscale": 1},
       "max_position_embeddings": 8})",
     "mscale"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "truncate": 0},
       "max_position_embeddings": 8})",
     "truncate"},
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2, "attention_factor": 0},
       "max_position_embeddings": 8})",
     "attention_factor"},
    {"llama", R"({"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 1,
       "high_freq_factor": 4, "attention_factor": "x", "truncate": 0},
       "max_position_embeddings": 8})",
     ""},  // keys of yarn alone
    {"llama", R"({"rope_scaling": {"type": "yarn", "factor": 2}, "max_position_embeddings": 8})",
     ""},
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
    {"gpt_oss", R"({"rope_theta": null, "rope_parameters": {"rope_theta": 2}})", ""},
    {"gpt_oss", R"({"rope_scaling": null})", "rope_scaling"},
    {"gpt_oss", R"({"rope_scaling": null, "rope_parameters": {}})", ""},
    {"opt", R"({"do_layer_norm_before": false})", "do_layer_norm_before"},
    {"opt", R"({"_remove_final_layer_norm": true})", "_remove_final_layer_norm"},
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
    for (const auto& needed : table.needed) {
      const std::string key(needed.key);
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
  CHECK(epsilon("\"0.5\"").starts_with("SP2002"));
  CHECK(epsilon("[0.5]").starts_with("SP2002"));
  for (const char* bad :
       {"1e400", "100000000000000000000", "-0", "01", ".5", "0x1", "NaN", "1,\"a\":1,\"a\":1"}) {
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
    for (const auto& [name, tensor] : tiny.kept) {
      INFO(type << " " << name);
      // An output head and biases of maps may be absent; an MLP of gpt_oss, too.
      const bool idle = type == "gpt_oss" && name.find(".mlp.up_proj.") != std::string::npos;
      const bool optional = name == table.head || idle ||
                            (name.ends_with(".bias") && name.find("orm") == std::string::npos &&
                             name.find("ln_") == std::string::npos);
      const std::string missing = after(type, none, [&](auto& kept) { kept.erase(name); });
      CHECK(missing.empty() == (optional && !idle));
      if (!optional) CHECK(missing.starts_with("SP2003"));
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
  CHECK(added("gpt2", "h.2.ln_1.weight").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.input_layernorm.bias").starts_with("SP2003"));
  CHECK(added("llama", "model.layers.0.self_attn.rotary_emb.inv_freq").empty());
  CHECK(added("gpt_oss", "model.layers.1.mlp.experts.down_proj").find("experts") !=
        std::string::npos);
  CHECK(after("llama", none, [](auto& kept) {
          kept["model.layers.0.mlp.up_proj.weight"] = output::float32_tensor({0, 8}, {});
          kept["model.layers.0.mlp.gate_proj.weight"] = output::float32_tensor({0, 8}, {});
          kept["model.layers.0.mlp.down_proj.weight"] = output::float32_tensor({8, 0}, {});
        }).find("up_proj.weight is missing, no matrix or empty") != std::string::npos);
}

TEST_CASE("A folder that is none, an index that lies and shards that disagree are refused") {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "folder.XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path folder = name;
  const TinyModel tiny = tiny_model("gpt2", Value::object(), 1);
  const auto put = [&](const std::string& file, const std::string& bytes) {
    REQUIRE(output::replace(folder / file, bytes).has_value());
  };
  const auto opened = [&] {
    const auto found = language::open_folder(folder);
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
  fs::remove_all(folder);
}
