// config.json of a language model, read by its architecture's table: every number the forward pass
// needs, exactly as it is written.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/attention.hpp"
#include "exact/rational.hpp"
#include "language/architecture.hpp"

namespace sinkproof::language {

enum class Activation { kRelu, kSilu, kGelu, kGeluTanh };

// How rotary frequencies are altered for long inputs. LANGUAGE_RULES.md, 5.3.
struct RotaryScaling {
  enum class Kind { kNone, kLinear, kLlama3, kYarn };
  Kind kind = Kind::kNone;
  exact::Rational factor = 1;
  exact::Rational low = 1;                          // llama3: low_freq_factor; yarn: beta_slow
  exact::Rational high = 4;                         // llama3: high_freq_factor; yarn: beta_fast
  exact::Rational context;                          // original_max_position_embeddings
  bool truncate = true;                             // yarn
  std::optional<exact::Rational> attention_factor;  // yarn; none: 1 + ln(factor)/10
  bool operator==(const RotaryScaling&) const = default;
};

struct Rotary {
  exact::Rational base;
  std::size_t coordinates = 0;  // of a head's, even
  RotaryScaling scaling;
  bool operator==(const Rotary&) const = default;
};

// A size that config.json may say of tensors.
struct StatedSize {
  std::string_view key;
  std::optional<std::size_t> size;
};

struct Config {
  const Architecture* architecture = nullptr;
  std::size_t width = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t key_heads = 0;
  std::size_t head_width = 0;
  exact::Rational epsilon;
  Activation activation = Activation::kRelu;
  certificate::Attention attention = certificate::Attention::kSoftmax;
  std::size_t token_width = 0;  // of a token embedding's row
  bool parallel = false;
  bool norm_after = false;
  bool final_norm = true;
  bool norm_weights = true;
  bool attention_biases = false;
  bool output_biases = false;
  bool mlp_biases = false;
  bool head_bias = false;
  bool tied = false;  // logits by the token embedding, whatever the file holds; else by its own map
  std::optional<Rotary> rotary;
  std::vector<std::optional<std::size_t>> windows;  // by layer; none: all earlier keys
  StatedSize inner, vocabulary, positions, types;
  std::string expert_key;  // one that is about experts; "": there is none
  std::set<std::string> assumed_neutral;
  std::set<std::string> own;  // keys of sinkproof's own that make it another model

  [[nodiscard]] const certificate::AttentionKind& kind() const {
    return certificate::kind_of(attention);
  }
};

inline constexpr std::size_t kMostLayers = 512;
inline constexpr std::size_t kMostHeads = 1024;
inline constexpr std::size_t kMostWidth = 65536;

// Keys of `assumed_neutral` (of rope_scaling and rope_parameters, with a dot between) are taken as
// absent. Throws Rejected: SP0301: not JSON. SP2001: no architecture of that model_type (all are
// named). SP2002: a key is missing, of another form, contradicts another one, has a value that is
// not computed here or is not known to change nothing, or is assumed neutral and not there or
// computed with; the key is named.
Config read_config(std::string_view json, const std::string& where,
                   const std::set<std::string>& assumed_neutral = {});

inline constexpr std::string_view kCorrect =
    "correct it in config.json, or take the config.json that belongs to the weights";

// SP2002: this key is not as `what` says; `action` is what to do.
[[noreturn]] void refuse_key(const std::string& where, std::string_view key,
                             const std::string& what, std::string_view action = kCorrect);

}  // namespace sinkproof::language
