#include "language_training/format.hpp"

#include <array>
#include <string_view>

#include "certificate/attention.hpp"

namespace sinkproof::language_training {
namespace {

using json::Value;
using language::Architecture;

// The first that computes a decoder is its format.
struct Candidate {
  std::string_view model_type;
  std::string_view program;  // transformers' class
};

constexpr std::array<Candidate, 5> kCandidates = {{{"gpt2", "GPT2LMHeadModel"},
                                                   {"llama", "LlamaForCausalLM"},
                                                   {"mistral", "MistralForCausalLM"},
                                                   {"gpt_neox", "GPTNeoXForCausalLM"},
                                                   {"opt", "OPTForCausalLM"}}};

constexpr double kRotaryBase = 10000;
constexpr double kEpsilon = 1e-5;  // kNormEpsilon, as a decimal

// A bias of values is one of all biases that the architecture has.
bool has_attention(const Decoder& decoder, const Architecture& table) {
  const auto& biases = table.attention_biases;
  if (decoder.kind.value_bias) return !biases.key.empty() || biases.usual;
  if (decoder.kind.name == table.default_attention) return true;
  return !table.attention.empty() && certificate::find_attention(decoder.kind.name) != nullptr;
}

bool has_norm_place(const Decoder& decoder, const Architecture& table) {
  return decoder.norm_place.after == table.norm_after || !table.norm_before.empty();
}

std::vector<std::string> changes_to(const Decoder& decoder, const Architecture& table) {
  std::vector<std::string> changes;
  const auto need = [&](bool holds, const char* change) {
    if (!holds) changes.emplace_back(change);
  };
  const bool rotary = !table.rotary_base.empty();
  const bool gated = !table.mlp.gate.name.empty();
  const bool centred = table.norm == language::Norm::kLayer;
  need(decoder.positions.bias == LogitBias::kNothing && decoder.positions.rotary == rotary,
       rotary ? "--positions rotary" : "--positions learned");
  need(decoder.mlp.gated == gated, gated ? "--mlp swiglu" : "--mlp gelu");
  need(decoder.norm.centred == centred, centred ? "--norm layer" : "--norm rms");
  need(has_norm_place(decoder, table), table.norm_after ? "--norm-place post" : "--norm-place pre");
  need(has_attention(decoder, table), "--attention softmax");
  need(decoder.slot_value.norm == 0, "--slot-value 0");
  need(decoder.window == 0 || !table.window.empty(), "--window 0");
  need(decoder.prefix == 0, "--prefix 0");
  return changes;
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

// Where the table names the key.
void set(Value& config, std::string_view key, Value value) {
  if (!key.empty()) config[std::string(key)] = std::move(value);
}

void set_rotary(Value& config, const Architecture& table) {
  if (table.rotary_base.empty()) return;
  // transformers reads the keys of the table before release 5, and this object from then on.
  Value parameters = {{"rope_type", "default"}, {"rope_theta", kRotaryBase}};
  set(config, table.rotary_base, kRotaryBase);
  set(config, table.rotary_share, 1.0);
  if (!table.rotary_share.empty()) parameters["partial_rotary_factor"] = 1.0;
  config["rope_parameters"] = std::move(parameters);
}

void set_biases(Value& config, const Decoder& decoder, const Architecture& table) {
  set(config, table.mlp_biases.key, false);
  set(config, table.output_biases.key, decoder.kind.value_bias);
  set(config, table.attention_biases.key, decoder.kind.value_bias);
}

Value common_config(const Decoder& decoder) {
  Value bos = decoder.bos ? Value(kBos) : Value();
  return {{"tokenizer_class", "SinkproofBytes"},
          {"tie_word_embeddings", false},
          {"torch_dtype", "float32"},
          {"bos_token_id", std::move(bos)},
          {"eos_token_id", nullptr},
          {"pad_token_id", nullptr}};
}

Value own_config(const Decoder& decoder, const Format& format) {
  Value config = common_config(decoder);
  config.update({{"model_type", "sinkproof_decoder"},
                 {"sinkproof_nearest", format.nearest()},
                 {"attention", std::string(decoder.kind.name)},
                 {"positions", std::string(decoder.positions.name)},
                 {"mlp", std::string(decoder.mlp.name)},
                 {"norm", std::string(decoder.norm.name)},
                 {"norm_place", std::string(decoder.norm_place.name)},
                 {"window", decoder.window},
                 {"prefix", decoder.prefix},
                 {"width", decoder.width},
                 {"layers", decoder.layers},
                 {"heads", decoder.heads},
                 {"length", decoder.length},
                 {"epsilon", kEpsilon}});
  return config;
}

}  // namespace

std::string Format::nearest() const {
  if (changes.empty()) return "";
  std::string text = std::string(architecture->model_type) + " with";
  for (const std::string& change : changes) text += " " + change;
  return text;
}

Format format_of(const Decoder& decoder) {
  Format best;
  for (const Candidate& candidate : kCandidates) {
    const Architecture* table = language::find_architecture(candidate.model_type);
    std::vector<std::string> changes = changes_to(decoder, *table);
    if (best.architecture == nullptr || changes.size() < best.changes.size()) {
      best = {table, candidate.program, std::move(changes)};
    }
  }
  return best;
}

json::Value config_of(const Decoder& decoder) {
  const Format format = format_of(decoder);
  if (format.is_own()) return own_config(decoder, format);
  const Architecture& table = *format.architecture;
  Value config = common_config(decoder);
  config["model_type"] = std::string(table.model_type);
  config["architectures"] = {std::string(format.program)};
  set(config, table.positions.empty() ? "max_position_embeddings" : table.positions,
      decoder.length);
  set(config, table.vocabulary, decoder.vocabulary());
  set(config, table.width, decoder.width);
  set(config, table.token_width, decoder.width);
  set(config, table.layers, decoder.layers);
  set(config, table.heads, decoder.heads);
  set(config, table.key_heads, decoder.heads);
  set(config, table.head_width, decoder.head_width());
  set(config, table.inner, decoder.hidden());
  set(config, table.activation, activation_name(decoder.mlp.activation));
  set(config, table.epsilon, kEpsilon);
  set(config, table.norm_before, !decoder.norm_place.after);
  set(config, table.norm_weights, true);
  set(config, table.no_final_norm, false);
  set(config, table.parallel, false);
  set_rotary(config, table);
  set_biases(config, decoder, table);
  const AttentionKind& kind = decoder.kind;
  if (!kind.value_bias && kind.name != table.default_attention) {
    set(config, table.attention, std::string(kind.name));
  }
  if (decoder.window != 0) set(config, table.window, decoder.window);
  return config;
}

}  // namespace sinkproof::language_training
