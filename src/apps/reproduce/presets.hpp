// The experiments of arXiv:2410.10781 (Gu et al., ICLR 2025) that `train-lm` has the arms for, as
// data: settings, the arms, and the figures the paper states for them. Its models have about 60
// million parameters and saw 5 billion tokens of the Pile; ours are a few hundred thousand on
// bytes, so that directions compare and numbers do not.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>

namespace sinkproof::reproduce {

inline constexpr double kNotPublished = std::numeric_limits<double>::quiet_NaN();

// One arm: a value of the preset's key, and what the paper states for its counterpart. Shares are
// of heads with a sink, in percent: at the first token, at another one, at a bias.
struct PublishedArm {
  std::string_view value;
  std::string_view theirs = {};  // the paper's value where it is another one; "": the same
  double first = kNotPublished;
  double other = kNotPublished;
  double slot = kNotPublished;
  double loss = kNotPublished;  // nats per token of its tokenizer, on Pile-CC
};

struct PresetSetting {
  std::string_view key, value;
};

struct Preset {
  std::string_view name;
  std::string_view source;  // the table or section
  std::string_view key;     // what the arms compare; the first arm is the base
  std::span<const PublishedArm> arms;
  std::array<PresetSetting, 2> settings{};  // other than kPresetBase; unused ones are empty
};

// A small decoder whose heads sink within minutes; the settings of every preset but for its own.
extern const std::span<const PresetSetting> kPresetBase;
extern const std::span<const Preset> kPresets;

// Null for a name that is not in the table.
const Preset* find_preset(std::string_view name);

}  // namespace sinkproof::reproduce
