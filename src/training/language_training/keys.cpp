#include "language_training/keys.hpp"

#include <fmt/format.h>

#include <charconv>

#include "language_training/named.hpp"

namespace sinkproof::language_training {
namespace {

template <typename T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse(const std::string& text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

bool parse(const std::string& text, Positions& value) {
  const auto parsed = parse_positions(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

bool parse(const std::string& text, SlotValue& value) {
  const auto parsed = parse_slot_value(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

template <typename Row, std::size_t count>
bool choose(const std::string& text, const std::array<Row, count>& table, Row& chosen) {
  const Row* const found = find_named(table, text);
  if (found != nullptr) chosen = *found;
  return found != nullptr;
}

struct Key {
  const char* name;
  bool (*set)(const std::string& value, Settings& settings);
  std::string (*values)() = nullptr;  // where there are few
};

constexpr Key kKeys[] = {
    {"attention",
     [](const auto& v, Settings& s) { return choose(v, kAttentionKinds, s.decoder.kind); },
     [] { return names_of(kAttentionKinds); }},
    {"positions",
     [](const auto& v, Settings& s) { return choose(v, kPositionKinds, s.decoder.positions); },
     [] { return names_of(kPositionKinds); }},
    {"mlp", [](const auto& v, Settings& s) { return choose(v, kMlpKinds, s.decoder.mlp); },
     [] { return names_of(kMlpKinds); }},
    {"norm", [](const auto& v, Settings& s) { return choose(v, kNormKinds, s.decoder.norm); },
     [] { return names_of(kNormKinds); }},
    {"norm-place",
     [](const auto& v, Settings& s) { return choose(v, kNormPlaces, s.decoder.norm_place); },
     [] { return names_of(kNormPlaces); }},
    {"slot-value", [](const auto& v, Settings& s) { return parse(v, s.decoder.slot_value); }},
    {"slot-dims", [](const auto& v, Settings& s) { return parse(v, s.decoder.slot_dims); }},
    {"scale", [](const auto& v, Settings& s) { return parse(v, s.decoder.scale); }},
    {"lr", [](const auto& v, Settings& s) { return parse(v, s.lr); }},
    {"weight-decay", [](const auto& v, Settings& s) { return parse(v, s.weight_decay); }},
    {"window", [](const auto& v, Settings& s) { return parse(v, s.decoder.window); }},
    {"prefix", [](const auto& v, Settings& s) { return parse(v, s.decoder.prefix); }},
    {"bos", [](const auto& v, Settings& s) { return parse(v, s.decoder.bos); }},
    {"fixed", [](const auto& v, Settings& s) { return parse(v, s.decoder.fixed); }},
    {"random", [](const auto& v, Settings& s) { return parse(v, s.data.random); }},
    {"train-bytes", [](const auto& v, Settings& s) { return parse(v, s.data.train_bytes); }},
    {"steps", [](const auto& v, Settings& s) { return parse(v, s.steps); }},
    {"seed", [](const auto& v, Settings& s) { return parse(v, s.seed); }},
    {"layers", [](const auto& v, Settings& s) { return parse(v, s.decoder.layers); }},
    {"heads", [](const auto& v, Settings& s) { return parse(v, s.decoder.heads); }},
    {"width", [](const auto& v, Settings& s) { return parse(v, s.decoder.width); }},
    {"batch", [](const auto& v, Settings& s) { return parse(v, s.batch); }},
    {"clip", [](const auto& v, Settings& s) { return parse(v, s.clip); }},
};

}  // namespace

std::string setting_keys() {
  std::string names;
  for (const Key& key : kKeys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names;
}

exact::Result<void> set(const std::string& key, const std::string& value, Settings& settings) {
  for (const Key& known : kKeys) {
    if (key != known.name) continue;
    if (known.set(value, settings)) return {};
    return exact::fail(
        "SP2306", key,
        fmt::format("'{}' is not a value of this key{}", value.substr(0, 40),
                    known.values == nullptr ? "" : "; the values are " + known.values()));
  }
  return exact::fail("SP2306", key.substr(0, 40), "is not a key; the keys are " + setting_keys());
}

}  // namespace sinkproof::language_training
