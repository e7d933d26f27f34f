// What tells one language model architecture from another, as data: the keys of config.json, the
// names and layouts of tensors, which norms, which positions. src/certificate/LANGUAGE_RULES.md
// says what a block computes; a new architecture is one more table in architectures.cpp.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

namespace sinkproof::language {

enum class Norm { kLayer, kRms };

// Names without the layer's prefix; "" where there is none. A weight is [out, in] unless
// `in_first`. Of a tensor that holds several maps this is number `part` of `parts`, one after the
// other, or within each head where `by_head`.
struct MapName {
  std::string_view name = {};
  unsigned part = 0;
  unsigned parts = 1;
  bool by_head = false;
};

struct MlpNames {
  MapName in = {};
  MapName gate = {};  // act(gate x) * (in x), else act(in x)
  MapName out = {};
};

struct Architecture {
  std::string_view model_type;             // config.json says it
  std::vector<std::string_view> prefixes;  // of all tensors; the first with which there is `token`

  // Keys of config.json. Those with a default may be absent.
  std::string_view width = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view key_heads = "num_key_value_heads";  // default: heads
  std::string_view head_width = "head_dim";            // default: width / heads
  std::string_view epsilon = "layer_norm_eps";
  std::string_view default_epsilon = "";  // "": the key must be there
  std::string_view activation = "hidden_act";
  std::string_view default_activation = "";
  std::string_view default_attention = "softmax";  // key sinkproof_attention
  std::string_view rotary_base = "";               // "": no rotary positions
  std::string_view rotary_share = "";              // of a head's coordinates; default all
  std::string_view default_rotary_share = "1";
  std::string_view window = "";         // sliding window of all layers; null or absent: none
  std::string_view window_switch = "";  // it counts where this key is true (default false)
  std::string_view window_from = "";    // and only in layers from this number on
  bool layer_types = false;             // "layer_types" says which layers have it

  Norm norm = Norm::kRms;
  bool norm_after = false;         // x = norm(x + f(x)); else x = x + f(norm(x))
  std::string_view parallel = "";  // key; where true (default): attention and MLP of one x
  bool bidirectional = false;
  bool in_first = false;  // of all maps of a layer

  // Tensors.
  std::string_view token = "";
  std::string_view position = "";  // learned positions
  unsigned position_offset = 0;
  std::string_view token_type = "";  // its row 0 is added
  std::string_view embedding_norm = "";
  std::string_view layer = "";  // prefix of a layer; {} is its number
  std::string_view attention_norm = "";
  std::string_view mlp_norm = "";
  std::string_view final_norm = "";
  MapName query = {}, key = {}, value = {}, output = {};
  std::string_view query_norm = "";  // over each head's coordinates, before rotary positions
  std::string_view key_norm = "";
  std::string_view sinks = "";  // [heads], learned sink logits
  std::string_view gate = "";   // of kind softmax-gated, [heads, width]
  MlpNames mlp = {};
  std::string_view no_mlp = "";             // a tensor's ending that is refused: experts
  std::vector<std::string_view> idle = {};  // what a layer without MLP may hold unread
  std::string_view head = "";  // of logits; without prefix; tied to `token` where absent

  // Keys that must have this value or be absent: what is not computed here.
  struct Must {
    std::string_view key;
    std::string_view json;
  };
  std::vector<Must> must = {};
};

// All there are, by model_type.
const std::vector<Architecture>& architectures();

// Null where there is none.
const Architecture* find_architecture(std::string_view model_type);

}  // namespace sinkproof::language
