#include "reproduce/language_sweep.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <system_error>

#include "language_training/format.hpp"
#include "language_training/keys.hpp"
#include "output/replace.hpp"
#include "reproduce/language_chart.hpp"

namespace sinkproof::reproduce {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;
using language_training::set;
using language_training::Settings;

constexpr std::size_t kMostValues = 8;

struct Planned {
  SweepRun run;
  Settings settings;
};

// The setting with each of its seeds.
void add_seeds(const Planned& first, std::uint32_t seeds, std::vector<Planned>& all) {
  for (std::uint32_t more = 0; more < seeds; ++more) {
    Planned next = first;
    next.settings.seed += more;
    if (more > 0) next.run.name += fmt::format("-seed-{}", next.settings.seed);
    all.push_back(std::move(next));
  }
}

// The base, then each other value once.
Result<std::vector<Planned>> plan(const SweepOptions& options,
                                  const language_training::Corpus& corpus) {
  std::vector<Planned> all;
  add_seeds({{"base", "base", "", "", {}}, options.base}, options.seeds, all);
  const json::Value base = language_training::run_json(options.base, corpus);
  for (const Comparison& comparison : options.comparisons) {
    for (const std::string& value : comparison.values) {
      const std::string name = comparison.key + "-" + value;
      Planned next{{name, name, comparison.key, value, {}}, options.base};
      if (auto done = set(comparison.key, value, next.settings); !done) {
        return tl::unexpected(done.error());
      }
      if (auto checked = language_training::check(next.settings); !checked) {
        return tl::unexpected(checked.error());
      }
      if (auto fits = language_training::check_text(next.settings, corpus); !fits) {
        return tl::unexpected(fits.error());
      }
      if (language_training::run_json(next.settings, corpus) != base) {
        add_seeds(next, options.seeds, all);
      }
    }
  }
  return all;
}

Result<void> write_results(const SweepOptions& options, const Sweep& sweep) {
  std::error_code error;
  fs::create_directories(options.folder / "figures", error);
  if (error) return fail("SP0203", options.folder.string(), "cannot be made: " + error.message());
  for (const auto& [name, svg] : language_charts(options, sweep)) {
    auto written = output::replace(options.folder / "figures" / (name + ".svg"), svg);
    if (!written) return written;
  }
  if (auto written = output::replace(options.folder / "table.md", sweep_markdown(sweep));
      !written) {
    return written;
  }
  return output::replace(options.folder / "table.json", sweep_json(sweep).dump(1) + "\n");
}

json::Value published_json(const Sweep& sweep) {
  json::Value arms = json::Value::array();
  for (const PublishedRow& row : published_rows(sweep)) {
    json::Value arm = {{"name", row.setting}};
    if (!row.arm->theirs.empty()) arm["value"] = std::string(row.arm->theirs);
    const auto state = [&](const char* key, double value) {
      if (!std::isnan(value)) arm[key] = fmt::format("{}", value);
    };
    for (const SweepColumn& column : kSweepColumns) {
      if (column.published != nullptr) state(column.key, row.arm->*column.published);
    }
    state("loss", row.arm->loss);
    arms.push_back(std::move(arm));
  }
  return {{"source", "arXiv:2410.10781, " + std::string(sweep.preset->source)},
          {"arms", std::move(arms)}};
}

}  // namespace

Result<Comparison> parse_comparison(const std::string& text) {
  const std::size_t sign = text.find('=');
  Comparison comparison{text.substr(0, sign), {}};
  for (std::size_t at = sign; at != std::string::npos;) {
    const std::size_t next = text.find(',', at + 1);
    comparison.values.push_back(
        text.substr(at + 1, next == std::string::npos ? next : next - at - 1));
    at = next;
  }
  if (comparison.values.empty() || comparison.values.size() > kMostValues) {
    return fail("SP2306", "--compare " + text.substr(0, 40),
                fmt::format("must be KEY=VALUE,... with at most {} values", kMostValues));
  }
  Settings tried;
  for (const std::string& value : comparison.values) {
    if (auto done = set(comparison.key, value, tried); !done) return tl::unexpected(done.error());
  }
  return comparison;
}

Result<Sweep> language_sweep(const SweepOptions& options, const language_training::Corpus& corpus) {
  auto planned = plan(options, corpus);
  if (!planned) return tl::unexpected(planned.error());
  Sweep sweep;
  sweep.preset = options.preset;
  for (std::size_t at = 0; at < planned->size(); ++at) {
    Planned& next = (*planned)[at];
    language_training::RunOptions one;
    one.settings = next.settings;
    one.folder = options.folder / next.run.name;
    one.jobs = options.jobs;
    one.interrupted = options.interrupted;
    one.progress = [&](const language_training::Progress& now) {
      if (!options.progress) return;
      const double share = static_cast<double>(now.step) / static_cast<double>(next.settings.steps);
      options.progress(fmt::format("{} ({} of {}): step {}, loss {:.3f}", next.run.name, at + 1,
                                   planned->size(), now.step, now.loss),
                       (static_cast<double>(at) + share) / static_cast<double>(planned->size()));
    };
    auto run = language_training::run(one, corpus);
    if (!run) return tl::unexpected(run.error());
    next.run.log = std::move(run->log);
    next.run.nearest = language_training::format_of(next.settings.decoder).nearest();
    sweep.interrupted = run->interrupted;
    if (sweep.interrupted) return sweep;
    sweep.runs.push_back(std::move(next.run));
  }
  if (auto written = write_results(options, sweep); !written) {
    return tl::unexpected(written.error());
  }
  return sweep;
}

std::vector<SweepRow> sweep_rows(const Sweep& sweep) {
  std::vector<SweepRow> rows;
  for (std::size_t first = 0, end = 0; first < sweep.runs.size(); first = end) {
    SweepRow row{sweep.runs[first].setting, sweep.runs[first].log.back().step, 0, {}, {}};
    while (end < sweep.runs.size() && sweep.runs[end].setting == row.setting) ++end;
    row.seeds = end - first;
    const auto count = static_cast<double>(row.seeds);
    for (std::size_t column = 0; column < kSweepColumns.size(); ++column) {
      const auto value = [&](std::size_t run) {
        return sweep.runs[run].log.back().*kSweepColumns[column].value;
      };
      double squares = 0;
      for (std::size_t run = first; run < end; ++run) row.mean[column] += value(run) / count;
      for (std::size_t run = first; run < end; ++run) {
        squares += std::pow(value(run) - row.mean[column], 2);
      }
      if (row.seeds > 1) row.deviation[column] = std::sqrt(squares / (count - 1));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<PublishedRow> published_rows(const Sweep& sweep) {
  std::vector<PublishedRow> rows;
  if (sweep.preset == nullptr) return rows;
  for (const PublishedArm& arm : sweep.preset->arms) {
    std::string setting = sweep.runs.front().setting;
    for (const SweepRun& run : sweep.runs) {
      if (run.key == sweep.preset->key && run.value == arm.value) setting = run.setting;
    }
    rows.push_back({setting, &arm});
  }
  return rows;
}

Result<void> apply_preset(const std::string& name,
                          const std::function<bool(const std::string& key)>& given,
                          SweepOptions& options) {
  options.preset = find_preset(name);
  if (options.preset == nullptr) {
    std::string names;
    for (const Preset& preset : kPresets)
      names += (names.empty() ? "" : ", ") + std::string(preset.name);
    return fail("SP2306", "--preset " + name.substr(0, 40),
                "is not a preset; the presets are " + names);
  }
  Comparison arms{std::string(options.preset->key), {}};
  for (const PublishedArm& arm : options.preset->arms) arms.values.emplace_back(arm.value);
  std::vector<PresetSetting> settings(kPresetBase.begin(), kPresetBase.end());
  settings.insert(settings.end(), options.preset->settings.begin(), options.preset->settings.end());
  settings.push_back({options.preset->key, options.preset->arms.front().value});
  for (const PresetSetting& setting : settings) {
    const std::string key(setting.key);
    if (key.empty() || given(key)) continue;
    if (auto done = set(key, std::string(setting.value), options.base); !done) return done;
  }
  options.comparisons.insert(options.comparisons.begin(), std::move(arms));
  return {};
}

json::Value sweep_json(const Sweep& sweep) {
  json::Value runs = json::Value::array();
  for (const SweepRun& run : sweep.runs) {
    runs.push_back({{"name", run.name}, {"estimates", language_training::log_json(run.log)}});
  }
  json::Value table = {{"schema", 1}, {"runs", std::move(runs)}};
  if (sweep.preset != nullptr) table["published"] = published_json(sweep);
  const std::vector<SweepRow> rows = sweep_rows(sweep);
  if (rows.size() == sweep.runs.size()) return table;
  for (const SweepRow& row : rows) {
    json::Value shown = {{"name", row.setting}, {"seeds", row.seeds}};
    for (std::size_t column = 0; column < kSweepColumns.size(); ++column) {
      shown[kSweepColumns[column].key] = {{"mean", fmt::format("{}", row.mean[column])},
                                          {"deviation", fmt::format("{}", row.deviation[column])}};
    }
    table["settings"].push_back(std::move(shown));
  }
  return table;
}

}  // namespace sinkproof::reproduce
