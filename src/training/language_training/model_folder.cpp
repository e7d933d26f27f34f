#include "language_training/model_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "language_training/plan.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::language_training {
namespace {

void put(const std::string& name, const std::vector<std::uint64_t>& shape,
         const std::vector<float>& values, safetensors::Contents& contents) {
  contents.tensors[name] = output::float32_tensor(shape, values);
}

// The biases GPT-2 has; ours learn that of values at most.
void put_biases(const Decoder& decoder, const LayerLayout& at, const std::string& name,
                const float* weights, safetensors::Contents& contents) {
  const std::size_t width = decoder.width;
  std::vector<float> attention(3 * width);
  if (decoder.kind.value_bias) {
    std::copy_n(weights + at.value_bias, width, attention.data() + 2 * width);
  }
  put(name + "attn.c_attn.bias", {3 * width}, attention, contents);
  put(name + "attn.c_proj.bias", {width}, std::vector<float>(width), contents);
  put(name + "mlp.c_fc.bias", {decoder.wide()}, std::vector<float>(decoder.wide()), contents);
  put(name + "mlp.c_proj.bias", {width}, std::vector<float>(width), contents);
}

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
    case Activation::kGelu:
      break;
  }
  return "gelu_new";
}

}  // namespace

json::Value model_config(const Decoder& decoder) {
  const AttentionKind& kind = decoder.kind;
  json::Value config = {
      {"model_type", "gpt2"},
      {"architectures", {"GPT2LMHeadModel"}},
      {"vocab_size", decoder.vocabulary()},
      {"n_positions", decoder.length},
      {"n_embd", decoder.width},
      {"n_layer", decoder.layers},
      {"n_head", decoder.heads},
      {"n_inner", decoder.hidden()},
      {"activation_function", activation_name(decoder.mlp.activation)},
      {"layer_norm_epsilon", 1e-5},
      {"tie_word_embeddings", false},
      {"torch_dtype", "float32"},
      {"sinkproof_attention", kind.value_bias ? std::string("softmax") : std::string(kind.name)}};
  if (decoder.window != 0) config["sinkproof_window"] = decoder.window;
  if (decoder.prefix != 0) config["sinkproof_prefix"] = decoder.prefix;
  if (decoder.mlp.gated) config["sinkproof_mlp"] = std::string(decoder.mlp.name);
  if (!decoder.norm.centred) config["sinkproof_norm"] = std::string(decoder.norm.name);
  if (decoder.norm_place.after) {
    config["sinkproof_norm_place"] = std::string(decoder.norm_place.name);
  }
  if (decoder.positions.bias != LogitBias::kNothing || decoder.positions.rotary) {
    config["sinkproof_positions"] = std::string(decoder.positions.name);
  }
  if (decoder.bos) config["bos_token_id"] = kBos;
  return config;
}

exact::Result<void> write_model(const Decoder& decoder, const float* weights,
                                const std::filesystem::path& folder) {
  safetensors::Contents contents;
  contents.metadata["format"] = "pt";
  for (const Parameter& parameter : parameters(decoder)) {
    if (parameter.name.ends_with("attn.value_bias")) continue;
    const float* const from = weights + parameter.at;
    std::vector<float> values(from, from + parameter.count());
    if (parameter.name.ends_with("attn.c_proj.weight")) {
      // Scaled rows of weights times a matrix are rows times the scaled matrix.
      for (float& value : values) value *= static_cast<float>(decoder.scale);
    }
    put(parameter.name, parameter.shape, values, contents);
  }
  const Plan plan(decoder);
  if (decoder.positions.added != Added::kLearned) {
    std::vector<float> places = plan.sinusoids;
    places.resize(decoder.length * decoder.width);
    put("wpe.weight", {decoder.length, decoder.width}, places, contents);
  }
  for (std::size_t l = 0; l < decoder.layers; ++l) {
    if (!plan.slot_value.empty()) {
      put(fmt::format("h.{}.attn.bias_v", l), {decoder.width}, plan.slot_value, contents);
    }
    put_biases(decoder, plan.layout.layers[l], fmt::format("h.{}.", l), weights, contents);
  }
  auto written = output::replace(folder / "config.json", model_config(decoder).dump(2) + "\n");
  if (!written) return written;
  return output::write(folder / "model.safetensors", contents);
}

}  // namespace sinkproof::language_training
