// When do sinks emerge in language models? Small decoders trained on one text (language/run.hpp),
// each with one setting other than the base's: loss and sink share along the steps, a table and
// charts. Every figure is an estimate.
//
// The folder gets NAME/ of each run, "base" or KEY-VALUE, and NAME-seed-S/ of its other seeds;
// figures/, table.json and table.md; resumable, as each run is.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language_training/run.hpp"
#include "reproduce/presets.hpp"

namespace sinkproof::reproduce {

// "attention=softmax,sigmoid": the base with each of these. At most 8 values, a chart's groups.
struct Comparison {
  std::string key;
  std::vector<std::string> values;
};

// SP2306: not KEY=VALUE,..., or no such key.
exact::Result<Comparison> parse_comparison(const std::string& text);

struct SweepOptions {
  language_training::Settings base;
  const Preset* preset = nullptr;  // whose published figures stand beside ours; its arms are in
                                   // `comparisons`
  std::vector<Comparison> comparisons;
  std::uint32_t seeds = 1;  // of each setting, from its seed on
  std::filesystem::path folder;
  unsigned jobs = 1;
  std::function<void(const std::string& doing, double share)> progress;  // may be empty
  const std::atomic<bool>* interrupted = nullptr;                        // may be null
};

struct SweepRun {
  std::string name;
  std::string setting;     // "base" or KEY-VALUE: the name without the seed
  std::string key, value;  // what is other than in the base; "" of the base
  std::vector<language_training::Measured> log;
  std::string nearest = {};  // of models that `audit` does not read (Format::nearest)
};

struct Sweep {
  std::vector<SweepRun> runs;
  const Preset* preset = nullptr;
  bool interrupted = false;  // the same call goes on
};

// What a table shows of the weights after the last step.
struct SweepColumn {
  const char* key;      // as in log.json
  const char* heading;  // of a table of text
  double language_training::Measured::*value;
  double PublishedArm::*published = nullptr;  // its counterpart in percent, if papers state one
};
inline constexpr std::array<SweepColumn, 6> kSweepColumns = {{
    {"held_out_loss", "loss", &language_training::Measured::held_out_loss},
    {"sink_share", "sinks", &language_training::Measured::sink_share, &PublishedArm::first},
    {"first_weight", "alpha_1", &language_training::Measured::first_weight},
    {"largest_head", "head", &language_training::Measured::largest_head},
    {"other_share", "other", &language_training::Measured::other_share, &PublishedArm::other},
    {"slot_share", "slot", &language_training::Measured::slot_share, &PublishedArm::slot},
}};

// Of one setting, over its seeds: means, and sample standard deviations (0 of one seed).
struct SweepRow {
  std::string setting;
  std::uint64_t steps = 0;
  std::size_t seeds = 0;
  std::array<double, kSweepColumns.size()> mean{}, deviation{};
};
std::vector<SweepRow> sweep_rows(const Sweep& sweep);

// Of a preset's arms, in their order, the setting that ran them: "base" or KEY-VALUE.
struct PublishedRow {
  std::string setting;
  const PublishedArm* arm;
};
std::vector<PublishedRow> published_rows(const Sweep& sweep);

// The preset's settings that `given` does not have, and its arms. SP2306: no such preset.
exact::Result<void> apply_preset(const std::string& name,
                                 const std::function<bool(const std::string& key)>& given,
                                 SweepOptions& options);

// SP2306 and the errors of language_training::run.
exact::Result<Sweep> language_sweep(const SweepOptions& options,
                                    const language_training::Corpus& corpus);

// {"schema":1,"runs":[{"name","estimates":[...]}...]}; where a setting has several seeds, also
// "settings":[{"name","seeds",COLUMN:{"mean","deviation"}...}...]; of a preset also
// "published":{"source","arms":[{"name","value",...}...]}, shares in percent
json::Value sweep_json(const Sweep& sweep);

// The same as a table in Markdown: a line for each setting with the mean and the sample standard
// deviation of its seeds, shares as numbers from 0 to 1, and what a preset's paper states.
std::string sweep_markdown(const Sweep& sweep);

}  // namespace sinkproof::reproduce
