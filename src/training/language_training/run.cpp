#include "language_training/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <system_error>

#include "file/file.hpp"
#include "language_training/model_folder.hpp"
#include "language_training/resume.hpp"
#include "language_training/step.hpp"
#include "output/replace.hpp"

namespace sinkproof::language_training {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

double learning_rate(const Settings& settings, std::uint64_t step) {
  constexpr double kLast = 0.1;
  if (step < settings.warmup) {
    return settings.lr * static_cast<double>(step + 1) / static_cast<double>(settings.warmup);
  }
  const auto done = static_cast<double>(step - settings.warmup);
  const double share = done / static_cast<double>(settings.steps - settings.warmup);
  return settings.lr * (kLast + (1 - kLast) * 0.5 * (1 + std::cos(std::numbers::pi * share)));
}

// A run from where it is to its end.
class Training {
 public:
  Training(const RunOptions& options, const Corpus& corpus, json::Value run, Unfinished at)
      : options_(options),
        settings_(options.settings),
        corpus_(corpus),
        run_(std::move(run)),
        at_(std::move(at)),
        step_(settings_.decoder, settings_.batch, options.jobs),
        tokens_(settings_.batch * (settings_.decoder.length + 1)),
        held_out_(settings_.held_out * (settings_.decoder.length + 1)),
        attention_(settings_.held_out * means_of_a_sequence()),
        start_(std::chrono::steady_clock::now()),
        first_(at_.weights.steps) {
    step_.load(at_.weights);
    draw_tokens(corpus_, settings_.decoder,
                {settings_.data, Part::kHeldOut, settings_.seed, 0, settings_.held_out},
                held_out_.data());
  }

  Result<Run> finish() {
    for (;;) {
      const std::uint64_t made = at_.weights.steps;
      draw_tokens(corpus_, settings_.decoder,
                  {settings_.data, Part::kTraining, settings_.seed, made, settings_.batch},
                  tokens_.data());
      const double loss = step_.gradient(at_.weights, tokens_.data());
      if (!std::isfinite(loss)) {
        return fail("SP2305", fmt::format("step {}", made),
                    fmt::format("the loss became {}; give a smaller --lr", loss));
      }
      if (measure_due()) measure(loss);
      if (made >= settings_.steps) return end();
      if (options_.interrupted != nullptr && options_.interrupted->load()) return stop();
      if (save_due()) {
        if (auto saved = save(); !saved) return tl::unexpected(saved.error());
      }
      tell(loss);
      step_.update({learning_rate(settings_, made), settings_.weight_decay, settings_.clip},
                   at_.weights);
    }
  }

 private:
  [[nodiscard]] std::size_t means_of_a_sequence() const {
    const Decoder& decoder = settings_.decoder;
    return decoder.layers * decoder.heads * (decoder.kind.slots() + decoder.length);
  }
  // Not again what an ended run had measured.
  [[nodiscard]] bool measure_due() const {
    const std::uint64_t made = at_.weights.steps;
    return (made % settings_.measure_every == 0 || made == settings_.steps) &&
           (at_.log.empty() || at_.log.back().step < made);
  }
  [[nodiscard]] bool save_due() const {
    return at_.weights.steps > first_ && at_.weights.steps % settings_.measure_every == 0;
  }

  void measure(double batch_loss) {
    const Decoder& decoder = settings_.decoder;
    const std::size_t slots = decoder.kind.slots();
    const std::size_t keys = slots + decoder.length;
    Measured now;
    now.step = at_.weights.steps;
    now.batch_loss = batch_loss;
    now.held_out_loss =
        step_.loss(at_.weights, held_out_.data(), settings_.held_out, attention_.data());
    const std::size_t heads = decoder.layers * decoder.heads;
    const auto all = static_cast<double>(heads * settings_.held_out);
    std::vector<std::size_t> sinks(keys);
    for (std::size_t head = 0; head < heads; ++head) {
      double mean = 0;
      for (std::size_t at = head * keys; at < attention_.size(); at += heads * keys) {
        mean += static_cast<double>(attention_[at + slots]) / settings_.held_out;
        for (std::size_t key = 0; key < keys; ++key) {
          if (attention_[at + key] > kSinkThreshold) ++sinks[key];
        }
      }
      now.first_weight += mean / static_cast<double>(heads);
      now.largest_head = std::max(now.largest_head, mean);
    }
    now.sink_share = static_cast<double>(sinks[slots]) / all;
    if (slots == 1) now.slot_share = static_cast<double>(sinks[0]) / all;
    for (std::size_t position = 2; position <= decoder.length / 2; ++position) {
      const double share = static_cast<double>(sinks[slots + position - 1]) / all;
      if (share <= now.other_share) continue;
      now.other_share = share;
      now.other_position = position;
    }
    at_.log.push_back(now);
  }

  void tell(double loss) const {
    if (!options_.progress) return;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const auto made = static_cast<double>(at_.weights.steps - first_);
    const auto left = static_cast<double>(settings_.steps - at_.weights.steps);
    options_.progress({at_.weights.steps, loss, made > 0 ? seconds / made * left : -1});
  }

  Result<void> save() const {
    return write_unfinished(options_.folder, settings_.decoder, run_, at_);
  }

  Result<Run> stop() {
    if (auto saved = save(); !saved) return tl::unexpected(saved.error());
    return Run{at_.log, true, true};
  }

  // log.json is written last: where it is, the run is complete.
  Result<Run> end() {
    const fs::path& folder = options_.folder;
    auto written = write_model(settings_.decoder, at_.weights.values.data(), folder);
    if (!written) return tl::unexpected(written.error());
    const json::Value log = {{"schema", 1}, {"run", run_}, {"estimates", log_json(at_.log)}};
    written = output::replace(folder / "log.json", log.dump(1) + "\n");
    if (!written) return tl::unexpected(written.error());
    std::error_code gone;  // one that stays is removed by the next call
    fs::remove(resume_path(folder), gone);
    return Run{at_.log, false, true};
  }

  const RunOptions& options_;
  const Settings& settings_;
  const Corpus& corpus_;
  json::Value run_;
  Unfinished at_;
  Step step_;
  std::vector<std::uint16_t> tokens_;
  std::vector<std::uint16_t> held_out_;
  std::vector<float> attention_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t first_;
};

// The run the folder holds complete, if it does. SP2303, SP2304.
Result<std::optional<Run>> complete_run(const fs::path& folder, const json::Value& run) {
  const fs::path path = folder / "log.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const auto bytes = file::read(path, 1U << 26U);
  if (!bytes) return fail("SP2304", path.string(), bytes.error().what);
  const auto value = json::parse_strict(*bytes, path.string());
  if (!value) return fail("SP2304", path.string(), value.error().what);
  const json::Value had = value->is_object() ? *value : json::Value::object();
  auto same = require_same_run(had.value("run", json::Value()), run, path.string());
  if (!same) return tl::unexpected(same.error());
  auto log = read_log(had.value("estimates", json::Value()));
  if (!log)
    return fail("SP2304", path.string(), "has malformed estimates; delete the file and run again");
  fs::remove(resume_path(folder), ignored);
  return Run{std::move(*log), false, false};
}

}  // namespace

Result<Run> run(const RunOptions& options, const Corpus& corpus) {
  if (auto checked = check(options.settings); !checked) return tl::unexpected(checked.error());
  if (auto fits = check_text(options.settings, corpus); !fits) return tl::unexpected(fits.error());
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return fail("SP0203", options.folder.string(), "cannot be made: " + error.message());
  json::Value run = run_json(options.settings, corpus);
  auto complete = complete_run(options.folder, run);
  if (!complete) return tl::unexpected(complete.error());
  if (*complete) return std::move(**complete);
  const Decoder& decoder = options.settings.decoder;
  Unfinished at{initial_weights(decoder, options.settings.seed), {}};
  if (fs::exists(resume_path(options.folder), error)) {
    auto unfinished = read_unfinished(options.folder, decoder, run);
    if (!unfinished) return tl::unexpected(unfinished.error());
    at = std::move(*unfinished);
  }
  return Training(options, corpus, std::move(run), std::move(at)).finish();
}

}  // namespace sinkproof::language_training
