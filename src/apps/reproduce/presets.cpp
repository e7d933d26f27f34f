#include "reproduce/presets.hpp"

namespace sinkproof::reproduce {
namespace {

constexpr double kNone = kNotPublished;

constexpr PresetSetting kBase[] = {
    {"positions", "rotary"}, {"mlp", "swiglu"}, {"width", "64"},
    {"layers", "3"},         {"bos", "true"},   {"batch", "16"},
    {"weight-decay", "0.2"}, {"lr", "1e-2"},    {"norm", "rms"},
};

constexpr PublishedArm kTable2[] = {
    {"0.1", "", 18.18, kNone, kNone, 3.73},   {"0", "", 15.20, kNone, kNone, 3.72},
    {"0.001", "", 15.39, kNone, kNone, 3.72}, {"0.01", "", 15.23, kNone, kNone, 3.72},
    {"0.5", "", 41.08, kNone, kNone, 3.80},   {"1", "", 37.71, kNone, kNone, 3.90},
    {"2", "", 6.13, kNone, kNone, 4.23},      {"5", "", 0.01, kNone, kNone, 5.24},
};
constexpr PublishedArm kTable3[] = {
    {"rotary", "", 18.18, kNone, kNone, 3.73},   {"none", "", 20.35, kNone, kNone, 3.81},
    {"absolute", "", 32.73, kNone, kNone, 3.74}, {"learned", "", 33.13, kNone, kNone, 3.79},
    {"relative", "", 35.53, kNone, kNone, 5.45}, {"alibi", "", 20.78, kNone, kNone, 3.71},
};
constexpr PublishedArm kTable4[] = {
    {"softmax", "", 18.18, kNone, kNone, 3.73},
    {"softmax-key-value-bias", "", 0.04, kNone, 72.76, 3.72},
    {"softmax-key-bias", "", 0.00, kNone, 73.34, 3.72},
    {"softmax-value-bias", "", 17.53, kNone, kNone, 3.73},
};
constexpr PublishedArm kTable5[] = {
    {"0", "", 0.00, kNone, 73.34, 3.72},
    {"first-1", "v'", 0.06, kNone, 70.03, 3.72},
    {"first-5", "5v'", 3.71, kNone, 44.43, 3.72},
    {"first-20", "20v'", 25.88, kNone, 1.51, 3.71},
    {"even-1", "v''", 2.15, kNone, 69.74, 3.72},
    {"even-5", "5v''", 5.93, kNone, 27.99, 3.72},
    {"even-20", "20v''", 11.21, kNone, 0.00, 3.73},
};
constexpr PublishedArm kTable6[] = {
    {"softmax", "", 18.18, kNone, kNone, 3.73},
    {"sigmoid", "", 0.44, kNone, kNone, 3.70},
    {"sigmoid-normalised", "", 30.24, kNone, kNone, 3.74},
    {"elu1", "", 0.80, kNone, kNone, 3.69},
    {"elu1-kernel-normalised", "", 53.65, kNone, kNone, 4.19},
    {"linear", "", 0.00, kNone, kNone, 3.99},
    {"mlp-kernel-normalised", "", 0.19, kNone, kNone, 3.85},
    {"mlp-kernel", "", 0.74, kNone, kNone, 3.91},
};
constexpr PublishedArm kTable9[] = {
    {"1e-2", "4e-4", 18.18, kNone, kNone, 3.73},
    {"2e-2", "8e-4", 32.23, kNone, kNone, 3.70},
    {"5e-3", "2e-4", 11.21, kNone, kNone, 3.78},
    {"2.5e-3", "1e-4", 2.90, kNone, kNone, 3.92},
};
constexpr PublishedArm kTable10Batch[] = {
    {"16", "1M tokens", 18.18, kNone, kNone, 3.73},
    {"4", "0.25M", 16.45, kNone, kNone, 3.92},
    {"8", "0.5M", 17.19, kNone, kNone, 3.78},
    {"32", "2M", 16.19, kNone, kNone, 3.68},
};
constexpr PublishedArm kTable10Fixed[] = {
    {"0", "", 18.18, kNone, kNone, 3.73},
    {"1", "", 74.11, 0.01, kNone, kNone},
    {"2", "", 0.00, 69.03, kNone, kNone},
    {"3", "", 0.00, 69.64, kNone, kNone},
};
constexpr PublishedArm kTable11[] = {
    {"swiglu", "", 18.18, kNone, kNone, 3.73}, {"relu", "", 16.90, kNone, kNone, 3.82},
    {"gelu", "", 14.76, kNone, kNone, 3.79},   {"silu", "", 17.89, kNone, kNone, 3.80},
    {"reglu", "", 13.88, kNone, kNone, 3.75},  {"geglu", "", 17.86, kNone, kNone, 3.73},
};
constexpr PublishedArm kTable12[] = {
    {"4", "", 10.68, kNone, kNone, 3.74},
    {"8", "", 18.18, kNone, kNone, 3.73},
    {"2", "", 12.95, kNone, kNone, 3.76},
    {"1", "", 19.50, kNone, kNone, 3.78},
};
constexpr PublishedArm kRandom[] = {
    {"0", "", 18.18, kNone, kNone, 3.73},
    {"1", "", 27.03, kNone, kNone, kNone},
    {"1-2", "", 1.98, 14.08, kNone, kNone},
    {"2", "", 20.99, kNone, kNone, kNone},
};
constexpr PublishedArm kNormPlace[] = {
    {"pre", "", 18.18, kNone, kNone, 3.73},
    {"post", "", 13.54, kNone, kNone, kNone},
};
// The paper draws these in a figure and states no number but "less than 1 %" for 50M tokens.
constexpr PublishedArm kAmount[] = {
    {"0", "5B tokens", 18.18, kNone, kNone, 3.73}, {"1000000"}, {"100000"}, {"10000"}};

constexpr Preset kAll[] = {
    {"gu2025-table2", "Table 2", "weight-decay", kTable2, {{{"weight-decay", "0.1"}}}},
    {"gu2025-table3", "Table 3", "positions", kTable3, {}},
    {"gu2025-table4", "Table 4", "attention", kTable4, {}},
    {"gu2025-table5", "Table 5", "slot-value", kTable5, {{{"attention", "softmax-key-bias"}}}},
    {"gu2025-table6", "Table 6", "attention", kTable6, {}},
    {"gu2025-table9", "Table 9, 20k steps", "lr", kTable9, {}},
    {"gu2025-table10-batch", "Table 10, left", "batch", kTable10Batch, {}},
    {"gu2025-table10-fixed", "Table 10, right", "fixed", kTable10Fixed, {{{"bos", "false"}}}},
    {"gu2025-table11", "Table 11", "mlp", kTable11, {}},
    {"gu2025-table12", "Table 12, left", "heads", kTable12, {}},
    {"gu2025-random", "section 5", "random", kRandom, {{{"bos", "false"}}}},
    {"gu2025-norm-place", "section 7.2", "norm-place", kNormPlace, {}},
    {"gu2025-amount", "Figure 5, right", "train-bytes", kAmount, {}},
};

}  // namespace

const std::span<const PresetSetting> kPresetBase = kBase;
const std::span<const Preset> kPresets = kAll;

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace sinkproof::reproduce
