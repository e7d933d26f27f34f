// What tells one language model architecture from another, as data: the keys of config.json that
// are computed with and those known to change nothing, the names and layouts of tensors, which
// norms, which positions. src/checker/certificate/LANGUAGE_RULES.md says what a block computes; a
// new architecture is one more table in architectures/.
#pragma once

#include <string_view>
#include <vector>

namespace sinkproof::language {

enum class Norm { kLayer, kRms, kNone };

// Names without the layer's prefix; "" where there is none. A weight is [out, in] unless
// `in_first`. Of a tensor that holds several maps this is number `part` of `parts`, one after the
// other, or within each head where `by_head`.
struct MapName {
  std::string_view name = {};
  unsigned part = 0;
  unsigned parts = 1;
  bool by_head = false;
};

// Whether maps have biases: as `key` says, else as usual.
struct Biases {
  std::string_view key = "";
  bool usual = true;
};

// A key that must be absent or have one of the values of a JSON list: with another one the model is
// not what is computed here. `why` ends "key K: ..".
struct Only {
  std::string_view key;
  std::string_view values;
  std::string_view why = "";
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
  std::string_view key_heads = "";              // default: heads
  std::string_view head_width = "";             // default: width / heads
  std::string_view epsilon = "layer_norm_eps";  // "": no key, always the default
  std::string_view default_epsilon = "";        // "": the key must be there
  std::string_view activation = "hidden_act";
  std::string_view default_activation = "";
  std::string_view attention = "";  // sinkproof's own: the kind of attention
  std::string_view default_attention = "softmax";
  std::string_view rotary_base = "";  // "": no rotary positions
  std::string_view default_rotary_base = "10000";
  std::string_view rotary_share = "";  // of a head's coordinates; default all
  std::string_view default_rotary_share = "1";
  std::string_view window = "";         // sliding window of all layers; null or absent: none
  bool own_window = false;              // a key of sinkproof's own
  std::string_view window_switch = "";  // it counts where this key is true (default false)
  std::string_view window_from = "";    // and, without layer_types, in layers from this number on
  bool layer_types = false;             // "layer_types" says which layers have it
  // Sizes that tensors have: where config.json says them, too, they agree.
  std::string_view inner = "intermediate_size";
  std::string_view vocabulary = "vocab_size";
  std::string_view positions = "";  // of learned positions, without those before `position_offset`
  std::string_view types = "";

  Norm norm = Norm::kRms;
  bool norm_after = false;              // x = norm(x + f(x)); else x = x + f(norm(x))
  std::string_view norm_before = "";    // key; where false (default true): norm_after, and no final
  std::string_view no_final_norm = "";  // key; where true (default false)
  std::string_view norm_weights = "";   // key; where false (default true): norms have none
  std::string_view parallel = "";       // key; where true (default): attention and MLP of one x
  bool bidirectional = false;
  bool in_first = false;  // of all maps of a layer

  Biases attention_biases = {};  // of query, key and value
  Biases output_biases = {};
  Biases mlp_biases = {};
  Biases head_biases = {"", false};
  bool is_closed = false;     // its files hold nothing else: every tensor is to be read
  bool may_lack_mlp = false;  // no layer has an MLP where the key `inner` is absent or null

  // Tensors.
  std::string_view token = "";
  std::string_view token_width =
      "";                   // key; where it is not the width: rows of `token` have it, and
  MapName project_in = {};  // these two maps, without biases, lead from and to it
  MapName project_out = {};
  std::string_view position = "";  // learned positions
  unsigned position_offset = 0;
  std::string_view token_type = "";  // its row 0 is added
  std::string_view embedding_norm = "";
  std::string_view layer = "";  // prefix of a layer; {} is its number
  std::string_view attention_norm = "";
  std::string_view mlp_norm = "";
  std::string_view final_norm = "";
  bool old_norms = false;  // a norm may have gamma and beta for weight and bias
  MapName query = {}, key = {}, value = {}, output = {};
  std::string_view query_norm = "";  // over each head's coordinates, before rotary positions
  std::string_view key_norm = "";
  std::string_view sinks = "";  // [heads], learned sink logits
  std::string_view gate = "";   // of kind softmax-gated, [heads, width]
  MlpNames mlp = {};
  std::string_view no_mlp = "";                      // a tensor's ending that is refused: experts,
                                                     // without which the model is another one
  std::vector<std::string_view> expert_keys = {};    // of what those would be: neutral without MLP
  std::vector<std::string_view> idle = {};           // what a layer without MLP may hold unread
  std::vector<std::string_view> layer_buffers = {};  // what any layer may: masks and tables
  std::vector<std::string_view> model_buffers = {};  // and the model itself
  std::string_view head = "";  // of logits; without prefix; no logits where absent and not tied
  std::string_view head_bias = "";
  bool tied = false;  // to `token`: default of tie_word_embeddings

  // Keys that must be there, null or not: to other programs a file without them means a value of
  // their own.
  std::vector<std::string_view> needed = {};
  bool needs_rotary_scaling = false;  // rope_scaling or rope_parameters must be there

  // Beside kNeutral and kOnly.
  std::vector<std::string_view> neutral = {};  // keys that change nothing, whatever they are
  std::vector<Only> only = {};
  struct Same {
    std::string_view key;
    std::string_view as;
  };
  std::vector<Same> same = {};  // other names of keys: where they are there, so is the other, equal
};

// Of all architectures; architectures/neutral.cpp. Every key that is in no table is refused.
extern const std::vector<std::string_view> kNeutral;
extern const std::vector<Only> kOnly;

// All there are, by model_type.
const std::vector<Architecture>& architectures();

// Null where there is none.
const Architecture* find_architecture(std::string_view model_type);

}  // namespace sinkproof::language
