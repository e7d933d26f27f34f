#include "model/layer_names.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sinkproof::model {
namespace {

// What of ours a tensor holds, several of them stacked in this order, and what others write for it
// between a layer's prefix and "weight" or "bias": WEIGHT|BIAS where it is these two alone.
struct Alias {
  std::array<std::string_view, 3> holds;
  std::string_view stems;
};

// torch.nn.MultiheadAttention (in_proj_; q_proj_ where kdim or vdim is given), Hugging Face's
// Llama, OPT, BERT and GPT-2 (c_attn), timm and MPT (qkv), diffusers (to_q), TransformerLens (W_Q
// without an ending, b_Q), llama.cpp (attn_q), and what is written by hand.
constexpr Alias kAliases[] = {
    {{"W_Q."}, "W_Q. W_Q|b_Q q_proj_ q_proj. self.query. to_q. attn_q. wq. W_q. q. query."},
    {{"W_K."}, "W_K. W_K|b_K k_proj_ k_proj. self.key. to_k. attn_k. wk. W_k. k. key."},
    {{"W_V."}, "W_V. W_V|b_V v_proj_ v_proj. self.value. to_v. attn_v. wv. W_v. v. value."},
    {{"W_O."},
     "W_O. W_O|b_O out_proj. o_proj. c_proj. output.dense. proj. to_out. to_out.0. attn_output. "
     "wo. W_o. o. out. output."},
    {{"W_G."}, "W_G."},
    {{"W_Q.", "W_K.", "W_V."}, "in_proj_ c_attn. qkv. Wqkv."},
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

// "q_proj." and "weight": "q_proj.weight"; "W_Q|b_Q" and "bias": "b_Q".
std::string written_as(std::string_view stem, std::string_view ending) {
  const std::size_t bar = stem.find('|');
  if (bar == std::string_view::npos) return std::string(stem) + std::string(ending);
  return std::string(ending == "weight" ? stem.substr(0, bar) : stem.substr(bar + 1));
}

// The longest of the table that fits counts.
std::optional<Recognised> recognise(const std::string& name) {
  constexpr std::string_view kSinks = "sinks";
  if (const auto prefix = before(name, kSinks)) return Recognised{*prefix, kSinks};
  std::optional<Recognised> longest;
  std::size_t length = 0;
  for (const Alias& alias : kAliases) {
    for (std::string_view rest = alias.stems; !rest.empty();) {
      const std::string_view stem = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), stem.size() + 1));
      for (const std::string_view ending : {"weight", "bias"}) {
        const std::string written = written_as(stem, ending);
        const auto prefix = before(name, written);
        if (!prefix || written.size() <= length) continue;
        longest = Recognised{*prefix, ending, &alias};
        length = written.size();
      }
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
    return layer.tensors.contains(std::string(own.holds[0]) + "weight");
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

// Whether these are the bytes of 1, as a float or as a whole number of any width.
bool is_one(const safetensors::Tensor& tensor, std::string_view entry) {
  if (tensor.dtype != safetensors::Dtype::kOther) {
    const safetensors::View view{tensor.dtype, tensor.dtype_name, {1}, entry};
    const auto value = safetensors::element(view, 0);
    return value && value->significand == 1 && value->exponent == 0;
  }
  return entry.front() == 1 && entry.find_first_not_of('\0', 1) == std::string_view::npos;
}

// [..., n, n] whose entries are 1 on and below the diagonal, and 0 above it.
bool is_lower_triangle(const safetensors::Tensor& tensor) {
  const auto& shape = tensor.shape;
  if (shape.size() < 2) return false;
  const std::uint64_t n = shape.back();
  const bool is_one_square =
      shape[shape.size() - 2] == n &&
      std::all_of(shape.begin(), shape.end() - 2, [](std::uint64_t extent) { return extent == 1; });
  if (!is_one_square || n == 0 || tensor.bytes.empty()) return false;
  const std::size_t size = tensor.bytes.size() / (n * n);
  for (std::uint64_t k = 0; k < n * n; ++k) {
    const auto entry = std::string_view(tensor.bytes).substr(k * size, size);
    const bool is_zero = entry.find_first_not_of('\0') == std::string_view::npos;
    if (k % n > k / n ? !is_zero : !is_one(tensor, entry)) return false;
  }
  return true;
}

// One number from minus infinity to -10^4 (in BF16: -9984), which stands for minus infinity: bit
// patterns of negative floats are in the order of their sizes.
bool is_minus_infinity(const safetensors::Tensor& tensor) {
  struct Ends {
    std::string_view dtype;
    std::uint64_t least, most;
  };
  constexpr Ends kEnds[] = {{"F64", 0xC0C3880000000000U, 0xFFF0000000000000U},
                            {"F32", 0xC61C4000U, 0xFF800000U},
                            {"F16", 0xF0E2U, 0xFC00U},
                            {"BF16", 0xC61CU, 0xFF80U}};
  const bool is_one = std::all_of(tensor.shape.begin(), tensor.shape.end(),
                                  [](std::uint64_t extent) { return extent == 1; });
  std::uint64_t bits = 0;
  for (std::size_t k = tensor.bytes.size(); is_one && k-- > 0;) {
    bits = bits << 8U | static_cast<unsigned char>(tensor.bytes[k]);
  }
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](const Ends& ends) {
    return tensor.dtype_name == ends.dtype && ends.least <= bits && bits <= ends.most;
  });
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

bool is_causality(const std::string& name, const safetensors::Tensor& tensor) {
  for (const std::string_view stem : {"mask", "attn.bias", "attention.bias"}) {
    if (before(name, stem)) return is_lower_triangle(tensor);
  }
  for (const std::string_view stem : {"IGNORE", "masked_bias"}) {
    if (before(name, stem)) return is_minus_infinity(tensor);
  }
  return false;
}

ModelNames find_layers(const safetensors::Contents& contents) {
  std::map<std::string, LayerNames> by_prefix;
  ModelNames found;
  for (const auto& [name, tensor] : contents.tensors) {
    const auto recognised = recognise(name);
    if (!recognised) {
      if (!is_causality(name, tensor)) found.others.push_back(name);
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
