#include "language/config.hpp"

#include <algorithm>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/decimal.hpp"
#include "json/strict.hpp"

namespace sinkproof::language {
namespace {

using certificate::require;
using exact::Rational;
using json::Value;

// Reads keys; what is wrong ends the reading.
class Keys {
 public:
  Keys(const Value& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[noreturn]] void refuse(std::string_view key, const std::string& what) const {
    throw certificate::Rejected{{"SP2002", where_, "key " + std::string(key) + ": " + what}};
  }

  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(std::string(key)); }

  // Null where the key is absent or null.
  [[nodiscard]] const Value* find(std::string_view key) const {
    if (key.empty()) return nullptr;
    const auto found = object_.find(std::string(key));
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  [[nodiscard]] std::size_t size(std::string_view key, std::size_t most,
                                 std::optional<std::size_t> otherwise = {},
                                 std::size_t least = 1) const {
    const Value* value = find(key);
    if (value == nullptr) {
      if (!otherwise) refuse(key, "is missing");
      return *otherwise;
    }
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < least ||
        value->get<std::uint64_t>() > most) {
      refuse(key,
             "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value->get<std::size_t>();
  }

  [[nodiscard]] Rational number(std::string_view key, std::string_view otherwise) const {
    const Value* value = find(key);
    if (value == nullptr && otherwise.empty()) refuse(key, "is missing");
    std::string text(otherwise);
    if (value != nullptr && value->is_binary()) {
      text.assign(value->get_binary().begin(), value->get_binary().end());
    } else if (value != nullptr) {
      text = value->is_number_integer() ? value->dump() : "";
    }
    auto parsed =
        text.size() <= 60 ? exact::parse_decimal(text) : exact::fail("SP2002", where_, "too long");
    if (!parsed) refuse(key, "is no decimal number of at most 60 characters");
    return *parsed;
  }

  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const {
    const Value* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) refuse(key, "must be true or false");
    return value->get<bool>();
  }

  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const {
    const Value* value = find(key);
    if (value == nullptr && otherwise.empty()) refuse(key, "is missing");
    if (value != nullptr && !value->is_string()) refuse(key, "must be a string");
    return value == nullptr ? std::string(otherwise) : value->get<std::string>();
  }

 private:
  const Value& object_;
  std::string where_;
};

constexpr std::pair<std::string_view, Activation> kActivations[] = {
    {"relu", Activation::kRelu},
    {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},
    {"gelu", Activation::kGelu},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh}};

// What the table says of the text there.
template <typename Value, std::size_t N>
Value named(const std::pair<std::string_view, Value> (&table)[N], const Keys& keys,
            std::string_view key, std::string_view otherwise) {
  const std::string name = keys.text(key, otherwise);
  for (const auto& [candidate, value] : table) {
    if (candidate == name) return value;
  }
  keys.refuse(key, "unknown: " + name);
}

constexpr std::pair<std::string_view, RotaryScaling::Kind> kScalings[] = {
    {"default", RotaryScaling::Kind::kNone},
    {"linear", RotaryScaling::Kind::kLinear},
    {"llama3", RotaryScaling::Kind::kLlama3},
    {"yarn", RotaryScaling::Kind::kYarn}};

RotaryScaling scaling_of(const Keys& entry, const Keys& keys) {
  const char* key = entry.find("rope_type") != nullptr ? "rope_type" : "type";
  RotaryScaling scaling;
  scaling.kind = named(kScalings, entry, key, "default");
  using Kind = RotaryScaling::Kind;
  if (scaling.kind == Kind::kNone) return scaling;
  scaling.factor = entry.number("factor", "");
  if (scaling.factor < 1) entry.refuse("factor", "must be at least 1");
  if (scaling.kind == Kind::kLinear) return scaling;
  const bool yarn = scaling.kind == Kind::kYarn;
  scaling.low = entry.number(yarn ? "beta_slow" : "low_freq_factor", yarn ? "1" : "");
  scaling.high = entry.number(yarn ? "beta_fast" : "high_freq_factor", yarn ? "32" : "");
  constexpr std::size_t kMost = std::size_t{1} << 30U;
  const char* context = "original_max_position_embeddings";
  scaling.context = entry.find(context) != nullptr ? entry.size(context, kMost)
                                                   : keys.size("max_position_embeddings", kMost);
  if (scaling.low <= 0 || scaling.high <= scaling.low) {
    entry.refuse(yarn ? "beta_fast" : "high_freq_factor", "must exceed the other one, that 0");
  }
  if (!yarn) return scaling;
  scaling.truncate = entry.flag("truncate", true);
  if (entry.find("attention_factor") != nullptr) {
    scaling.attention_factor = entry.number("attention_factor", "");
    if (*scaling.attention_factor <= 0) entry.refuse("attention_factor", "must be positive");
  }
  for (const char* other : {"mscale", "mscale_all_dim"}) {
    if (entry.find(other) != nullptr) entry.refuse(other, "is not computed here");
  }
  return scaling;
}

std::optional<Rotary> rotary_of(const Keys& keys, const Config& config, const std::string& where) {
  const Architecture& table = *config.architecture;
  if (table.rotary_base.empty()) return std::nullopt;
  // Newer files say all of it in rope_parameters.
  const Value* entry = keys.find("rope_parameters");
  if (entry == nullptr) entry = keys.find("rope_scaling");
  if (entry != nullptr && !entry->is_object()) keys.refuse("rope_scaling", "must be an object");
  const Value none = Value::object();
  const Keys scaling(entry == nullptr ? none : *entry, where + ": rope_scaling");
  Rotary rotary;
  const bool inside = scaling.find("rope_theta") != nullptr;
  const std::string_view key =
      keys.find(table.rotary_base) != nullptr ? table.rotary_base : "rope_theta";
  rotary.base =
      inside ? scaling.number("rope_theta", "") : keys.number(key, table.default_rotary_base);
  if (rotary.base < 2 || rotary.base > 1'000'000'000) keys.refuse(key, "must be 2 to 10^9");
  const bool partial = scaling.find("partial_rotary_factor") != nullptr;
  const Rational share = partial ? scaling.number("partial_rotary_factor", "")
                         : table.rotary_share.empty()
                             ? Rational(1)
                             : keys.number(table.rotary_share, table.default_rotary_share);
  if (share <= 0 || share > Rational(1)) {
    keys.refuse(table.rotary_share, "must be above 0 and at most 1");
  }
  rotary.coordinates = exact::floor(share * Rational(config.head_width)).convert_to<std::size_t>();
  if (rotary.coordinates == 0 || rotary.coordinates % 2 != 0) {
    keys.refuse(table.rotary_share.empty() ? table.head_width : table.rotary_share,
                "gives an odd number of rotated coordinates");
  }
  rotary.scaling = scaling_of(scaling, keys);
  return rotary;
}

// Which layers look back a window only.
std::vector<std::optional<std::size_t>> windows_of(const Keys& keys, const Config& config) {
  const Architecture& table = *config.architecture;
  std::vector<std::optional<std::size_t>> windows(config.layers);
  if (!table.window_switch.empty() && !keys.flag(table.window_switch, false)) return windows;
  if (!keys.has(table.window) && !table.window_switch.empty()) {
    keys.refuse(table.window, "is missing");
  }
  if (keys.find(table.window) == nullptr) return windows;
  const std::size_t window = keys.size(table.window, std::size_t{1} << 40U);
  const Value* types = table.layer_types ? keys.find("layer_types") : nullptr;
  if (types != nullptr && (!types->is_array() || types->size() != config.layers)) {
    keys.refuse("layer_types", "must list one word for each layer");
  }
  if (types == nullptr && table.layer_types && table.window_from.empty()) {
    keys.refuse("layer_types", "is missing");
  }
  const std::size_t from = table.window_from.empty() || types != nullptr
                               ? 0
                               : keys.size(table.window_from, kMostLayers, {}, 0);
  for (std::size_t l = 0; l < config.layers; ++l) {
    const Value word = types == nullptr ? Value() : (*types)[l];
    if (types != nullptr && word != "sliding_attention" && word != "full_attention") {
      keys.refuse("layer_types", "must say sliding_attention or full_attention");
    }
    if (types != nullptr ? word == "sliding_attention" : l >= from) windows[l] = window;
  }
  return windows;
}

void check_musts(const Keys& keys, const Architecture& table) {
  for (const Architecture::Needed& needed : table.needed) {
    if (!keys.has(needed.key) && !keys.has(needed.or_key)) keys.refuse(needed.key, "is missing");
  }
  for (const Architecture::Must& must : table.must) {
    const Value* value = keys.find(must.key);
    if (value != nullptr && *value != Value::parse(must.json)) {
      keys.refuse(must.key, "only " + std::string(must.json) + " is computed here");
    }
  }
}

void read_sizes(const Keys& keys, Config& config) {
  const Architecture& table = *config.architecture;
  config.width = keys.size(table.width, kMostWidth);
  config.layers = keys.size(table.layers, kMostLayers);
  config.heads = keys.size(table.heads, kMostHeads);
  config.key_heads = keys.size(table.key_heads, kMostHeads, config.heads);
  if (config.heads % config.key_heads != 0) {
    keys.refuse(table.key_heads, "must divide the number of heads");
  }
  if (keys.find(table.head_width) == nullptr && config.width % config.heads != 0) {
    keys.refuse(table.heads, "must divide " + std::string(table.width));
  }
  config.head_width = keys.size(table.head_width, kMostWidth,
                                std::max<std::size_t>(1, config.width / config.heads));
  if (config.head_width * config.heads > kMostWidth) {
    keys.refuse(table.head_width.empty() ? table.heads : table.head_width,
                "the heads together are too wide");
  }
}

}  // namespace

Config read_config(std::string_view text, const std::string& where) {
  const Value parsed = certificate::value_of(json::parse_with_decimals(text, where));
  require(parsed.is_object(), where, "must be an object", "SP2002");
  const Keys keys(parsed, where);
  const std::string type = keys.text("model_type", "");
  Config config;
  config.architecture = find_architecture(type);
  std::string known;
  for (const Architecture& table : architectures()) {
    known += (known.empty() ? "" : ", ") + std::string(table.model_type);
  }
  require(config.architecture != nullptr, where,
          "key model_type: no architecture \"" + type + "\"; known are " + known, "SP2001");
  const Architecture& table = *config.architecture;
  check_musts(keys, table);
  read_sizes(keys, config);
  config.epsilon = keys.number(table.epsilon, table.default_epsilon);
  if (config.epsilon <= 0) keys.refuse(table.epsilon, "must be positive");
  config.activation = named(kActivations, keys, table.activation, table.default_activation);
  config.parallel = !table.parallel.empty() && keys.flag(table.parallel, true);
  config.tied = keys.flag("tie_word_embeddings", table.tied);
  const std::string kind = keys.text("sinkproof_attention", table.default_attention);
  const auto* found = certificate::find_attention(kind);
  if (found == nullptr) keys.refuse("sinkproof_attention", "no such kind of attention: " + kind);
  config.attention = found->attention;
  if ((found->sinks && table.sinks.empty()) || (found->gated && table.gate.empty())) {
    keys.refuse("sinkproof_attention", "this architecture has no tensors for " + kind);
  }
  config.rotary = rotary_of(keys, config, where);
  config.windows = windows_of(keys, config);
  return config;
}

}  // namespace sinkproof::language
