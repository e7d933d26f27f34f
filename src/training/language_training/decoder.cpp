#include "language_training/decoder.hpp"

#include <fmt/core.h>

namespace sinkproof::language_training {
namespace {

// Lays tensors out one behind the other.
struct Placing {
  std::vector<Parameter> parameters;
  std::size_t floats = 0;

  std::size_t add(std::string name, std::vector<std::uint64_t> shape, Beginning beginning) {
    const std::size_t at = floats;
    parameters.push_back({std::move(name), std::move(shape), at, beginning});
    floats += (parameters.back().count() + kPadding - 1) / kPadding * kPadding;
    return at;
  }
};

void add_kind(const Decoder& decoder, const std::string& name, Placing& placing, LayerLayout& at) {
  const AttentionKind& kind = decoder.kind;
  const std::size_t width = decoder.width;
  if (kind.slot == Slot::kLogit) {
    at.sinks = placing.add(name + "attn.sinks", {decoder.heads}, Beginning::kZeros);
  }
  const std::size_t vectors = decoder.slot_vectors();
  if (kind.slot_key()) {
    at.slot_key =
        placing.add(name + "attn.bias_k", {vectors * decoder.slot_key_width()}, Beginning::kNormal);
  }
  if (kind.slot == Slot::kKeyValue) {
    at.slot_value =
        placing.add(name + "attn.bias_v", {vectors * decoder.head_width()}, Beginning::kNormal);
  }
  if (kind.value_bias) {
    at.value_bias = placing.add(name + "attn.value_bias", {width}, Beginning::kZeros);
  }
  if (kind.features == Features::kMlp) {
    const std::size_t own = decoder.head_width();
    at.kernel_in =
        placing.add(name + "attn.kernel_in.weight", {own, own}, Beginning::kNormalByRows);
    at.kernel_out =
        placing.add(name + "attn.kernel_out.weight", {own, own}, Beginning::kNormalByRows);
  }
  if (kind.gated) {
    at.gate = placing.add(name + "attn.gate.weight", {decoder.heads, width}, Beginning::kNormal);
    at.gate_bias = placing.add(name + "attn.gate.bias", {decoder.heads}, Beginning::kZeros);
  }
}

NormLayout add_norm(const Decoder& decoder, const std::string& name, Placing& placing) {
  NormLayout at;
  at.weight = placing.add(name + ".weight", {decoder.width}, Beginning::kOnes);
  if (decoder.norm.centred) {
    at.bias = placing.add(name + ".bias", {decoder.width}, Beginning::kZeros);
  }
  return at;
}

LayerLayout add_layer(const Decoder& decoder, std::size_t layer, Placing& placing) {
  const std::string name = fmt::format("h.{}.", layer);
  const std::size_t width = decoder.width;
  const std::size_t hidden = decoder.hidden();
  LayerLayout at{};
  const bool after = decoder.norm_place.after;
  (after ? at.middle : at.outer) = add_norm(decoder, name + "ln_1", placing);
  at.attention = placing.add(name + "attn.c_attn.weight", {width, 3 * width}, Beginning::kNormal);
  at.attention_out =
      placing.add(name + "attn.c_proj.weight", {width, width}, Beginning::kNormalResidual);
  (after ? at.outer : at.middle) = add_norm(decoder, name + "ln_2", placing);
  at.mlp_in = placing.add(name + "mlp.c_fc.weight", {width, decoder.wide()}, Beginning::kNormal);
  at.mlp_out = placing.add(name + "mlp.c_proj.weight", {hidden, width}, Beginning::kNormalResidual);
  add_kind(decoder, name, placing, at);
  return at;
}

struct Placed {
  Layout layout;
  std::vector<Parameter> parameters;
};

Placed place(const Decoder& decoder) {
  Placing placing;
  Layout at{};
  const std::size_t width = decoder.width;
  at.tokens = placing.add("wte.weight", {decoder.vocabulary(), width}, Beginning::kNormal);
  if (decoder.positions.added == Added::kLearned) {
    at.positions = placing.add("wpe.weight", {decoder.length, width}, Beginning::kNormal);
  }
  if (decoder.positions.bias == LogitBias::kRelative) {
    at.relative = placing.add("relative_attention_bias.weight", {kBuckets, decoder.heads},
                              Beginning::kNormal);
  }
  for (std::size_t l = 0; l < decoder.layers; ++l) {
    at.layers.push_back(add_layer(decoder, l, placing));
  }
  if (!decoder.norm_place.after) at.norm = add_norm(decoder, "ln_f", placing);
  at.head = placing.add("lm_head.weight", {decoder.vocabulary(), width}, Beginning::kNormal);
  at.floats = placing.floats;
  return {std::move(at), std::move(placing.parameters)};
}

}  // namespace

std::size_t Parameter::count() const {
  std::size_t product = 1;
  for (const std::uint64_t size : shape) product *= size;
  return product;
}

Layout layout(const Decoder& decoder) { return place(decoder).layout; }

std::vector<Parameter> parameters(const Decoder& decoder) { return place(decoder).parameters; }

std::size_t parameter_count(const Decoder& decoder) {
  std::size_t all = 0;
  for (const Parameter& parameter : parameters(decoder)) all += parameter.count();
  return all;
}

}  // namespace sinkproof::language_training
