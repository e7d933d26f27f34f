#include "language/config.hpp"

#include <algorithm>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/decimal.hpp"
#include "json/decimals.hpp"
#include "json/visible.hpp"

namespace sinkproof::language {
namespace {

using certificate::require;
using exact::Rational;
using json::Value;

// What a shell takes for one word as it stands.
bool is_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
}

// Reads keys, and keeps which; what is wrong ends the reading.
class Keys {
 public:
  Keys(const Value& object, std::string where, std::set<std::string>& asked)
      : object_(object), where_(std::move(where)), asked_(asked) {}

  // An object within, whose keys are named with `prefix` before them.
  [[nodiscard]] Keys within(const Value& object, const std::string& prefix) const {
    Keys inner(object, where_, asked_);
    inner.prefix_ = prefix;
    return inner;
  }

  [[noreturn]] void refuse(std::string_view key, const std::string& what,
                           std::string_view action = kCorrect) const {
    refuse_key(where_, prefix_ + std::string(key), what, action);
  }

  [[nodiscard]] bool has(std::string_view key) const {
    asked_.insert(prefix_ + std::string(key));
    return object_.contains(std::string(key));
  }

  // Null where the key is absent or null.
  [[nodiscard]] const Value* find(std::string_view key) const {
    return !key.empty() && has(key) && !object_[std::string(key)].is_null()
               ? &object_[std::string(key)]
               : nullptr;
  }

  // The keys that nothing asked for and that are not among these.
  void refuse_unknown(const std::vector<const std::vector<std::string_view>*>& neutral,
                      const std::string& what) const {
    std::optional<std::string> first;
    std::string options;
    for (const auto& [key, value] : object_.items()) {
      const bool known =
          asked_.contains(prefix_ + key) ||
          std::any_of(neutral.begin(), neutral.end(), [&key = key](const auto* keys) {
            return std::find(keys->begin(), keys->end(), key) != keys->end();
          });
      if (known) continue;
      if (!first) first = key;
      if (is_word(key)) options += " --assume-neutral " + prefix_ + key;
    }
    if (!first) return;
    refuse(*first, what + ", so it may change the model",
           "remove it from config.json if it does not, or read config.json as if the key were "
           "absent with" +
               (options.empty() ? " --assume-neutral" : options));
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
    if (!parsed) {
      refuse(key, "must be a decimal number of at most 60 characters, below 10^1000 in size");
    }
    return *parsed;
  }

  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const {
    const Value* value = find(key);
    if (value == nullptr && otherwise && has(key)) {
      refuse(key, "is null, which other programs read in two ways", "write true or false");
    }
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
  std::string prefix_;
  std::set<std::string>& asked_;
};

constexpr std::string_view kRemoveOne = "remove the wrong one of the two";

constexpr std::pair<std::string_view, Activation> kActivations[] = {
    {"relu", Activation::kRelu},         {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},        {"gelu", Activation::kGelu},
    {"gelu_new", Activation::kGeluTanh}, {"gelu_pytorch_tanh", Activation::kGeluTanh}};

// What the table says of the text there.
template <typename Value, std::size_t N>
Value named(const std::pair<std::string_view, Value> (&table)[N], const Keys& keys,
            std::string_view key, std::string_view otherwise) {
  const std::string name = keys.text(key, otherwise);
  for (const auto& [candidate, value] : table) {
    if (candidate == name) return value;
  }
  std::string known;
  for (const auto& [candidate, value] : table) known += " " + std::string(candidate);
  keys.refuse(key, "\"" + name + "\" is not supported; the known values are" + known);
}

constexpr std::pair<std::string_view, RotaryScaling::Kind> kScalings[] = {
    {"default", RotaryScaling::Kind::kNone},
    {"linear", RotaryScaling::Kind::kLinear},
    {"llama3", RotaryScaling::Kind::kLlama3},
    {"yarn", RotaryScaling::Kind::kYarn}};

RotaryScaling scaling_of(const Keys& entry, const Keys& keys) {
  const Value* type = entry.find("type");
  const Value* newer = entry.find("rope_type");
  if (type != nullptr && newer != nullptr && *type != *newer) {
    entry.refuse("type", "differs from rope_type", kRemoveOne);
  }
  RotaryScaling scaling;
  scaling.kind = named(kScalings, entry, newer != nullptr ? "rope_type" : "type", "default");
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
  const std::size_t length = entry.find(context) != nullptr
                                 ? entry.size(context, kMost)
                                 : keys.size("max_position_embeddings", kMost);
  scaling.context = length;
  const Value* first = keys.find("initial_context_length");
  if (first != nullptr && *first != length) {
    keys.refuse("initial_context_length", "is not " + std::to_string(length) +
                                              ", the context that rotary scaling starts from");
  }
  if (yarn && entry.find(context) != nullptr &&
      keys.number("max_position_embeddings", "") != scaling.factor * length) {
    keys.refuse("max_position_embeddings",
                "is not factor times original_max_position_embeddings, " +
                    exact::to_string(scaling.factor * length) +
                    "; releases of transformers before 5 compute the factor from the two lengths",
                "correct the wrong one of the three");
  }
  if (scaling.low <= 0 || scaling.high <= scaling.low) {
    entry.refuse(yarn ? "beta_fast" : "high_freq_factor",
                 "must exceed " + std::string(yarn ? "beta_slow" : "low_freq_factor") +
                     ", which must be positive");
  }
  if (!yarn) return scaling;
  scaling.truncate = entry.flag("truncate", true);
  if (entry.find("attention_factor") != nullptr) {
    scaling.attention_factor = entry.number("attention_factor", "");
    if (*scaling.attention_factor <= 0) entry.refuse("attention_factor", "must be positive");
  }
  for (const char* other : {"mscale", "mscale_all_dim"}) {
    if (entry.find(other) != nullptr) {
      entry.refuse(other, "is not computed here",
                   "replace mscale and mscale_all_dim by the attention_factor that other programs "
                   "compute from them");
    }
  }
  return scaling;
}

// Another place that says the same number.
void require_same(const Keys& keys, std::string_view key, const Rational& value,
                  std::string_view as) {
  const Value* stated = keys.find(key);
  if (stated != nullptr && keys.number(key, "") != value) {
    keys.refuse(key, "says something else than " + std::string(as) + ", " + exact::to_string(value),
                kRemoveOne);
  }
}

// By the object of one of these keys, or none.
Rotary rotary_by(const Keys& entry, const Keys& keys, const Config& config) {
  const Architecture& table = *config.architecture;
  const bool outside = keys.find(table.rotary_base) != nullptr;
  const bool inside = !outside && entry.find("rope_theta") != nullptr;
  Rotary rotary;
  rotary.base = inside ? entry.number("rope_theta", "")
                       : keys.number(table.rotary_base, table.default_rotary_base);
  require_same(entry, "rope_theta", rotary.base, table.rotary_base);
  require_same(keys, "rope_theta", rotary.base, table.rotary_base);
  if (rotary.base < 2 || rotary.base > 1'000'000'000'000) {
    (inside ? entry : keys).refuse(inside ? "rope_theta" : table.rotary_base, "must be 2 to 10^12");
  }
  const Rational share = table.rotary_share.empty()
                             ? Rational(1)
                             : keys.number(table.rotary_share, table.default_rotary_share);
  if (share <= 0 || share > Rational(1)) {
    keys.refuse(table.rotary_share, "must be above 0 and at most 1");
  }
  const std::string whole =
      table.rotary_share.empty() ? "the rotated share of a head" : std::string(table.rotary_share);
  require_same(entry, "partial_rotary_factor", share, whole);
  require_same(keys, "partial_rotary_factor", share, whole);
  // Programs multiply doubles and cut off: only of these shares they get what the product is.
  const exact::Rational turned = share * Rational(config.head_width);
  const exact::Integer parts = denominator(share);
  if (denominator(turned) == 1 && (parts & (parts - 1)) != 0) {
    keys.refuse(table.rotary_share, "is a share that doubles cannot represent",
                "write the largest decimal of a power of two that gives as many rotated "
                "coordinates");
  }
  rotary.coordinates = exact::floor(share * Rational(config.head_width)).convert_to<std::size_t>();
  if (rotary.coordinates == 0 || rotary.coordinates % 2 != 0) {
    keys.refuse(table.rotary_share.empty() ? table.head_width : table.rotary_share,
                "gives an odd number of rotated coordinates");
  }
  rotary.scaling = scaling_of(entry, keys);
  entry.refuse_unknown({}, "is not a key of this kind of rotary scaling");
  return rotary;
}

// rope_scaling and rope_parameters say the same where both say something; an empty one says
// nothing.
std::optional<Rotary> rotary_of(const Keys& keys, const Config& config) {
  if (config.architecture->rotary_base.empty()) return std::nullopt;
  std::optional<Rotary> rotary;
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const Value* entry = keys.find(key);
    if (entry == nullptr || *entry == Value::object()) continue;
    if (!entry->is_object()) keys.refuse(key, "must be an object");
    const Rotary read = rotary_by(keys.within(*entry, std::string(key) + "."), keys, config);
    if (rotary && *rotary != read) {
      keys.refuse(key, "differs from rope_scaling", kRemoveOne);
    }
    rotary = read;
  }
  if (!rotary && config.architecture->needs_rotary_scaling) {
    keys.refuse("rope_scaling", "is missing, and so is rope_parameters");
  }
  const Value none = Value::object();
  return rotary ? rotary : rotary_by(keys.within(none, "rope_parameters."), keys, config);
}

// For each layer whether layer_types says that it has a window; none where it says nothing.
std::optional<std::vector<bool>> layer_types_of(const Keys& keys, const Config& config) {
  const Value* types = config.architecture->layer_types ? keys.find("layer_types") : nullptr;
  if (types == nullptr) return std::nullopt;
  if (!types->is_array() || types->size() != config.layers) {
    keys.refuse("layer_types", "must list one word for each layer");
  }
  std::vector<bool> slides;
  for (const Value& word : *types) {
    if (word != "sliding_attention" && word != "full_attention") {
      keys.refuse("layer_types", "must hold sliding_attention or full_attention only");
    }
    slides.push_back(word == "sliding_attention");
  }
  return slides;
}

// Which layers look back a window only.
std::vector<std::optional<std::size_t>> windows_of(const Keys& keys, const Config& config) {
  const Architecture& table = *config.architecture;
  std::vector<std::optional<std::size_t>> windows(config.layers);
  const auto slides = layer_types_of(keys, config);
  const bool used = table.window_switch.empty() || keys.flag(table.window_switch, false);
  if (used && !table.window_switch.empty() && !keys.has(table.window)) {
    keys.refuse(table.window, "is missing");
  }
  if (!used || keys.find(table.window) == nullptr) {
    if (slides && std::find(slides->begin(), slides->end(), true) != slides->end()) {
      keys.refuse("layer_types", "holds sliding_attention, but there is no window",
                  "set " + std::string(used ? table.window : table.window_switch) +
                      " or write full_attention");
    }
    return windows;
  }
  const std::size_t window = keys.size(table.window, std::size_t{1} << 40U);
  if (!slides && table.layer_types && table.window_from.empty()) {
    keys.refuse("layer_types", "is missing");
  }
  std::optional<std::size_t> from;
  if (!table.window_from.empty() && (!slides || keys.find(table.window_from) != nullptr)) {
    from = keys.size(table.window_from, kMostLayers, {}, 0);
  }
  for (std::size_t l = 0; l < config.layers; ++l) {
    const bool slid = slides ? (*slides)[l] : !from || l >= *from;
    if (from && slid != (l >= *from)) {
      keys.refuse("layer_types",
                  "says something else than " + std::string(table.window_from) + " does",
                  kRemoveOne);
    }
    if (slid) windows[l] = window;
  }
  return windows;
}

void check_values(const Keys& keys, const Value& object, const std::vector<Only>& rules) {
  for (const Only& rule : rules) {
    if (!keys.has(rule.key)) continue;
    const Value allowed = Value::parse(rule.values);
    if (std::find(allowed.begin(), allowed.end(), object[std::string(rule.key)]) != allowed.end()) {
      continue;
    }
    keys.refuse(rule.key,
                (rule.why.empty() ? "only " + (allowed.size() == 1 ? allowed[0] : allowed).dump() +
                                        " is supported, and this value may change the model"
                                  : std::string(rule.why)),
                "to read config.json as if the key were absent, add --assume-neutral " +
                    std::string(rule.key));
  }
}

bool has_rule(const std::vector<Only>& rules, std::string_view key) {
  return std::any_of(rules.begin(), rules.end(), [&](const Only& rule) { return rule.key == key; });
}

void check_keys(const Keys& keys, const Value& object, const Architecture& table) {
  for (const std::string_view needed : table.needed) {
    if (!keys.has(needed)) keys.refuse(needed, "is missing");
  }
  check_values(keys, object, kOnly);
  check_values(keys, object, table.only);
  for (const auto& [key, as] : table.same) {
    if (keys.has(key) && (!keys.has(as) || object[std::string(key)] != object[std::string(as)])) {
      keys.refuse(key, "must be that of " + std::string(as), kRemoveOne);
    }
  }
}

void read_stated_sizes(const Keys& keys, Config& config) {
  const Architecture& table = *config.architecture;
  constexpr std::size_t kMost = std::size_t{1} << 40U;
  for (const auto& [key, stated] :
       {std::pair(table.inner, &config.inner), std::pair(table.vocabulary, &config.vocabulary),
        std::pair(table.positions, &config.positions), std::pair(table.types, &config.types)}) {
    stated->key = key;
    if (keys.find(key) != nullptr) stated->size = keys.size(key, kMost);
  }
}

bool has_biases(const Keys& keys, const Biases& biases) {
  return biases.key.empty() ? biases.usual : keys.flag(biases.key, biases.usual);
}

bool flag_of(const Keys& keys, std::string_view key, bool otherwise) {
  return key.empty() ? otherwise : keys.flag(key, otherwise);
}

void read_parts(const Keys& keys, Config& config) {
  const Architecture& table = *config.architecture;
  config.token_width = table.token_width.empty()
                           ? config.width
                           : keys.size(table.token_width, config.width, config.width);
  config.parallel = !table.parallel.empty() && keys.flag(table.parallel, true);
  const bool before = flag_of(keys, table.norm_before, !table.norm_after);
  const bool no_final_norm = flag_of(keys, table.no_final_norm, false);
  config.norm_after = !before;
  config.final_norm = before && !no_final_norm;
  config.norm_weights = flag_of(keys, table.norm_weights, true);
  config.attention_biases = has_biases(keys, table.attention_biases);
  config.output_biases = has_biases(keys, table.output_biases);
  config.mlp_biases = has_biases(keys, table.mlp_biases);
  config.head_bias = has_biases(keys, table.head_biases);
  for (const std::string_view key : table.expert_keys) {
    if (keys.has(key)) config.expert_key = key;
  }
  if (!table.may_lack_mlp || config.inner.size) return;
  for (const std::string_view key : {table.activation, table.mlp_biases.key}) {
    if (keys.find(key) == nullptr) continue;
    keys.refuse(key, "is about an MLP, but without " + std::string(table.inner) + " there is none",
                "remove it, or add " + std::string(table.inner));
  }
}

// The object without these keys.
Value without(const Value& object, const std::set<std::string>& keys, const std::string& where) {
  Value rest = object;
  for (const std::string& key : keys) {
    const std::size_t dot = key.find('.');
    const std::string outer = key.substr(0, dot);
    const bool nested = (outer == "rope_scaling" || outer == "rope_parameters") &&
                        dot != std::string::npos && rest.contains(outer) && rest[outer].is_object();
    Value& holder = nested ? rest[outer] : rest;
    const bool found = holder.erase(nested ? key.substr(dot + 1) : key) != 0;
    if (nested && found && holder.empty()) {
      refuse_key(where, outer, "would be left empty", "remove the object from config.json instead");
    }
    if (!found) {
      refuse_key(where, key, "is given to --assume-neutral, but config.json does not have it",
                 "leave out --assume-neutral " + json::shown_key(key));
    }
  }
  return rest;
}

// By sinkproof's own key, which architectures may have, or as usual.
certificate::Attention attention_of(const Keys& keys, Config& config) {
  const Architecture& table = *config.architecture;
  const std::string kind = table.attention.empty()
                               ? std::string(table.default_attention)
                               : keys.text(table.attention, table.default_attention);
  const auto* found = certificate::find_attention(kind);
  if (found == nullptr) {
    keys.refuse(table.attention, "is not a known kind of attention: " + json::shown_key(kind));
  }
  if (kind != table.default_attention) config.own.emplace(table.attention);
  return found->attention;
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

void refuse_key(const std::string& where, std::string_view key, const std::string& what,
                std::string_view action) {
  throw certificate::Rejected{
      {"SP2002", where, "key " + json::shown_key(key) + ": " + what + "; " + std::string(action)}};
}

Config read_config(std::string_view text, const std::string& where,
                   const std::set<std::string>& assumed_neutral) {
  const Value file = certificate::value_of(json::parse_with_decimals(text, where));
  require(file.is_object(), where,
          "must be an object of keys and their values; take the config.json that belongs to the "
          "weights",
          "SP2002");
  const Value parsed = without(file, assumed_neutral, where);
  std::set<std::string> asked;
  const Keys keys(parsed, where, asked);
  const std::string type = keys.text("model_type", "");
  Config config;
  config.architecture = find_architecture(type);
  std::string known;
  for (const Architecture& table : architectures()) {
    known += (known.empty() ? "" : ", ") + std::string(table.model_type);
  }
  const Value nearest = parsed.value("sinkproof_nearest", Value());  // as `train-lm` writes it
  require(
      config.architecture != nullptr, where,
      "key model_type: the architecture " + json::shown_key(type) + " is not supported" +
          (nearest.is_string() ? " (nearest: " + json::shown_key(nearest.get<std::string>()) + ")"
                               : "") +
          "; the known ones are " + known +
          ". Use a model of one of these; to measure the attention of another one, save its "
          "rows with your own program and run `sinkproof measure ROWS.safetensors`",
      "SP2001");
  const Architecture& table = *config.architecture;
  check_keys(keys, parsed, table);
  read_sizes(keys, config);
  read_stated_sizes(keys, config);
  config.epsilon = keys.number(table.epsilon, table.default_epsilon);
  if (config.epsilon <= 0) keys.refuse(table.epsilon, "must be positive");
  config.activation = named(kActivations, keys, table.activation, table.default_activation);
  read_parts(keys, config);
  config.tied = !table.head.empty() && keys.flag("tie_word_embeddings", table.tied);
  config.attention = attention_of(keys, config);
  config.rotary = rotary_of(keys, config);
  config.windows = windows_of(keys, config);
  if (table.own_window && config.windows.front()) config.own.emplace(table.window);
  keys.refuse_unknown(
      {&kNeutral, &table.neutral},
      "is not a key that is supported, or known to change nothing, for model_type " + type);
  for (const std::string& key : assumed_neutral) {
    if (asked.contains(key) && !has_rule(kOnly, key) && !has_rule(table.only, key)) {
      refuse_key(where, key, "defines the model and cannot be assumed neutral",
                 "edit config.json instead");
    }
  }
  config.assumed_neutral = assumed_neutral;
  return config;
}

}  // namespace sinkproof::language
