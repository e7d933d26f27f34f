#include "model/layer_names.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sinkproof::model {
namespace {

// Between a layer's prefix and "weight" or "bias": what of ours the tensor holds. Where several,
// they are stacked in this order. The longest that fits counts.
struct Alias {
  std::string_view stem;
  std::array<std::string_view, 3> holds;
};

constexpr Alias kAliases[] = {
    {"W_Q.", {"W_Q."}},
    {"W_K.", {"W_K."}},
    {"W_V.", {"W_V."}},
    {"W_O.", {"W_O."}},
    {"W_G.", {"W_G."}},
    // torch.nn.MultiheadAttention; separate weights where kdim or vdim is given
    {"in_proj_", {"W_Q.", "W_K.", "W_V."}},
    {"q_proj_", {"W_Q."}},
    {"k_proj_", {"W_K."}},
    {"v_proj_", {"W_V."}},
    {"out_proj.", {"W_O."}},
    // Hugging Face: Llama, OPT and others
    {"q_proj.", {"W_Q."}},
    {"k_proj.", {"W_K."}},
    {"v_proj.", {"W_V."}},
    {"o_proj.", {"W_O."}},
    // GPT-2 (Conv1D, [in, out]), nanoGPT (nn.Linear)
    {"c_attn.", {"W_Q.", "W_K.", "W_V."}},
    {"c_proj.", {"W_O."}},
    // BERT
    {"self.query.", {"W_Q."}},
    {"self.key.", {"W_K."}},
    {"self.value.", {"W_V."}},
    {"output.dense.", {"W_O."}},
    // timm, MPT
    {"qkv.", {"W_Q.", "W_K.", "W_V."}},
    {"Wqkv.", {"W_Q.", "W_K.", "W_V."}},
    {"proj.", {"W_O."}},
    // diffusers, x-transformers
    {"to_q.", {"W_Q."}},
    {"to_k.", {"W_K."}},
    {"to_v.", {"W_V."}},
    {"to_out.", {"W_O."}},
    {"to_out.0.", {"W_O."}},
    // written by hand
    {"wq.", {"W_Q."}},
    {"wk.", {"W_K."}},
    {"wv.", {"W_V."}},
    {"wo.", {"W_O."}},
    {"W_q.", {"W_Q."}},
    {"W_k.", {"W_K."}},
    {"W_v.", {"W_V."}},
    {"W_o.", {"W_O."}},
    {"q.", {"W_Q."}},
    {"k.", {"W_K."}},
    {"v.", {"W_V."}},
    {"o.", {"W_O."}},
    {"query.", {"W_Q."}},
    {"key.", {"W_K."}},
    {"value.", {"W_V."}},
    {"out.", {"W_O."}},
    {"output.", {"W_O."}},
};

struct Recognised {
  std::string prefix;
  std::string_view ending;  // "weight" or "bias"; "sinks" for a tensor that has neither
  const Alias* alias = nullptr;
};

// The prefix of a name that ends in `end`, where a component of the name begins there.
std::optional<std::string> before(std::string_view name, std::string_view end) {
  if (!name.ends_with(end)) return std::nullopt;
  name.remove_suffix(end.size());
  if (!name.empty() && name.back() != '.') return std::nullopt;
  return std::string(name);
}

std::optional<Recognised> recognise(const std::string& name) {
  constexpr std::string_view kSinks = "sinks";
  if (const auto prefix = before(name, kSinks)) return Recognised{*prefix, kSinks};
  std::optional<Recognised> longest;
  for (const std::string_view ending : {"weight", "bias"}) {
    for (const Alias& alias : kAliases) {
      const auto prefix = before(name, std::string(alias.stem) + std::string(ending));
      if (!prefix || (longest && longest->alias->stem.size() >= alias.stem.size())) continue;
      longest = Recognised{*prefix, ending, &alias};
    }
  }
  return longest;
}

std::map<std::string, TensorPart> parts_of(const Recognised& tensor, const std::string& name) {
  if (tensor.alias == nullptr) return {{std::string(tensor.ending), {name}}};
  std::map<std::string, TensorPart> parts;
  const auto& holds = tensor.alias->holds;
  const auto count = static_cast<std::size_t>(std::count_if(
      holds.begin(), holds.end(), [](std::string_view part) { return !part.empty(); }));
  for (std::size_t k = 0; k < count; ++k) {
    parts[std::string(holds[k]) + std::string(tensor.ending)] = {name, k, count};
  }
  return parts;
}

bool is_layer(const LayerNames& layer) {
  return std::all_of(std::begin(kAliases), std::begin(kAliases) + 4, [&](const Alias& own) {
    return layer.tensors.contains(std::string(own.stem) + "weight");
  });
}

std::vector<std::string> components(const std::string& prefix) {
  std::vector<std::string> parts = {""};
  for (const char c : prefix) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The only component in which two of the prefixes differ; none where that is not one.
std::optional<std::size_t> numbering_component(const std::vector<LayerNames>& layers) {
  const auto first = components(layers.front().prefix);
  std::optional<std::size_t> place;
  for (const LayerNames& layer : layers) {
    const auto own = components(layer.prefix);
    if (own.size() != first.size()) return std::nullopt;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (own[k] == first[k]) continue;
      if (place && *place != k) return std::nullopt;
      place = k;
    }
  }
  return place;
}

// Puts layers into the order of their numbers; false where these are not 0 to D - 1.
bool put_in_order(std::vector<LayerNames>& layers) {
  if (layers.size() <= 1) return true;
  const auto place = numbering_component(layers);
  if (!place) return false;
  std::vector<LayerNames> ordered(layers.size());
  for (const LayerNames& layer : layers) {
    const std::string number = components(layer.prefix)[*place];
    std::size_t index = 0;
    while (index < layers.size() && number != std::to_string(index)) ++index;
    if (index == layers.size()) return false;
    ordered[index] = layer;
  }
  layers = std::move(ordered);
  return true;
}

}  // namespace

ModelNames find_layers(const safetensors::Contents& contents) {
  std::map<std::string, LayerNames> by_prefix;
  ModelNames found;
  for (const auto& [name, tensor] : contents.tensors) {
    const auto recognised = recognise(name);
    if (!recognised) {
      found.others.push_back(name);
      continue;
    }
    LayerNames& layer = by_prefix[recognised->prefix];
    layer.prefix = recognised->prefix;
    auto parts = parts_of(*recognised, name);
    layer.tensors.merge(parts);
    if (!parts.empty()) found.others.push_back(name);  // another tensor is that already
  }
  for (auto& [prefix, layer] : by_prefix) {
    if (is_layer(layer)) {
      found.layers.push_back(std::move(layer));
      continue;
    }
    for (const auto& [own, part] : layer.tensors) found.others.push_back(part.tensor);
  }
  std::sort(found.others.begin(), found.others.end());
  found.others.erase(std::unique(found.others.begin(), found.others.end()), found.others.end());
  found.numbered = put_in_order(found.layers);
  return found;
}

}  // namespace sinkproof::model
