#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "cli/verbs.hpp"
#include "language_training/corpus.hpp"
#include "language_training/keys.hpp"
#include "language_training/named.hpp"
#include "reproduce/language_sweep.hpp"
#include "text/words.hpp"
#include "train/interrupt.hpp"
#include "train/kernels.hpp"

namespace sinkproof::cli {
namespace {

struct TrainLmArguments {
  Common common;
  std::vector<std::string> text;
  // Settings that are names, by key.
  std::map<std::string, std::string> named = {
      {"attention", "softmax"}, {"positions", "learned"}, {"mlp", "gelu"}, {"norm", "layer"},
      {"norm-place", "pre"},    {"slot-value", "0"},      {"random", "0"}};
  std::string folder;
  std::vector<std::string> comparisons;
  std::optional<std::string> preset;
  std::function<bool(const std::string& key)> given;  // whether the option of a setting is there
  std::optional<std::string> instruction_set;
  std::uint32_t seeds = 1;
  language_training::Settings settings;
};

// What the preset's paper states, beside our means.
void print_published(const reproduce::Sweep& sweep) {
  if (sweep.preset == nullptr) return;
  say("\nours | published in arXiv:2410.10781, {}: share of heads with a sink, in percent; loss: "
      "published, in nats per token. The sizes differ: its models have 60 million parameters and "
      "saw "
      "5 billion tokens. Compare directions, not numbers\n\n",
      sweep.preset->source);
  say("{:<32} {:>16} {:>16} {:>16} {:>16} {:>8}\n", "run", "theirs", "sinks", "other", "slot",
      "loss");
  const std::vector<reproduce::SweepRow> rows = reproduce::sweep_rows(sweep);
  for (const reproduce::PublishedRow& published : reproduce::published_rows(sweep)) {
    std::string line = fmt::format("{:<32} {:>16}", published.setting, published.arm->theirs);
    const auto ours = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.setting == published.setting;
    });
    for (std::size_t column = 0; column < ours->mean.size(); ++column) {
      if (reproduce::kSweepColumns[column].published == nullptr) continue;
      const double value = published.arm->*reproduce::kSweepColumns[column].published;
      const std::string theirs = std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
      line += fmt::format(" {:>16}", fmt::format("{:.2f} | {}", 100 * ours->mean[column], theirs));
    }
    line += std::isnan(published.arm->loss) ? fmt::format(" {:>8}", "-")
                                            : fmt::format(" {:>8.2f}", published.arm->loss);
    say("{}\n", line);
  }
}

// Which models other commands do not read.
void print_unread(const reproduce::Sweep& sweep) {
  std::map<std::string, std::string> settings;  // by what is nearest
  for (const reproduce::SweepRun& run : sweep.runs) {
    if (run.nearest.empty() || run.name != run.setting) continue;
    std::string& names = settings[run.nearest];
    names += (names.empty() ? "" : ", ") + run.name;
  }
  for (const auto& [nearest, names] : settings) {
    say("\naudit does not read {} (nearest: {})\n", names, nearest);
  }
}

void print_text(const TrainLmArguments& arguments, const reproduce::Sweep& sweep) {
  say("estimates on {}, of the weights after the last step\n"
      "  loss     nats per byte\n"
      "  sinks    share of (sequence, layer, head) whose alpha_1 is above {}\n"
      "  alpha_1  mean weight on the first token\n"
      "  head     the largest mean alpha_1 of one head\n"
      "  other    the largest such share at another position up to half the length\n"
      "  slot     share whose mean weight on the null slot is above {}\n\n",
      text::counted(arguments.settings.held_out, "held-out sequence"),
      language_training::kSinkThreshold, language_training::kSinkThreshold);
  const bool several = arguments.seeds > 1;
  if (several) {
    say("mean +- sample standard deviation of {}\n\n", text::counted(arguments.seeds, "seed"));
  }
  std::string line = fmt::format("{:<32} {:>8}", "run", "steps");
  for (const reproduce::SweepColumn& column : reproduce::kSweepColumns) {
    line += fmt::format(" {:>{}}", column.heading, several ? 16 : 8);
  }
  say("{}\n", line);
  for (const reproduce::SweepRow& row : reproduce::sweep_rows(sweep)) {
    line = fmt::format("{:<32} {:>8}", row.setting, row.steps);
    for (std::size_t column = 0; column < row.mean.size(); ++column) {
      line += fmt::format(" {:>8.3f}", row.mean[column]);
      if (several) line += fmt::format(" +-{:.3f}", row.deviation[column]);
    }
    say("{}\n", line);
  }
  print_published(sweep);
  print_unread(sweep);
  say("\nmodels, table and figures are in {}\n", arguments.folder);
}

exact::Result<reproduce::Sweep> train(const TrainLmArguments& arguments) {
  reproduce::SweepOptions options;
  options.base = arguments.settings;
  options.folder = arguments.folder;
  options.jobs = arguments.common.threads();
  if (arguments.instruction_set) {
    if (auto used = sinkproof::train::use_instruction_set(*arguments.instruction_set); !used) {
      return tl::unexpected(used.error());
    }
  }
  options.seeds = arguments.seeds;
  for (const auto& [key, value] : arguments.named) {
    if (auto done = language_training::set(key, value, options.base); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (arguments.preset) {
    auto applied = reproduce::apply_preset(*arguments.preset, arguments.given, options);
    if (!applied) return tl::unexpected(applied.error());
  }
  for (const std::string& text : arguments.comparisons) {
    auto comparison = reproduce::parse_comparison(text);
    if (!comparison) return tl::unexpected(comparison.error());
    options.comparisons.push_back(std::move(*comparison));
  }
  if (auto checked = language_training::check(options.base); !checked) {
    return tl::unexpected(checked.error());
  }
  const auto corpus = language_training::read_corpus({arguments.text.begin(), arguments.text.end()},
                                                     options.base.decoder.length);
  if (!corpus) return tl::unexpected(corpus.error());
  const sinkproof::train::InterruptFlag interrupt;
  options.interrupted = &sinkproof::train::InterruptFlag::flag();
  ProgressLine line(arguments.common.quiet);
  options.progress = [&](const std::string& doing, double share) {
    line.show_steady(doing, share);
  };
  return reproduce::language_sweep(options, *corpus);
}

int run_train_lm(const TrainLmArguments& arguments) {
  const auto sweep = train(arguments);
  if (!sweep) return report_error(sweep.error());
  if (sweep->interrupted) {
    say_to(stderr, "interrupted; run the same command again to continue\n");
    return kUnknown;
  }
  if (arguments.common.json()) {
    say_json(reproduce::sweep_json(*sweep));
  } else if (!arguments.common.quiet) {
    print_text(arguments, *sweep);
  }
  return kOk;
}

void add_shape(const Command& command, language_training::Decoder& decoder) {
  command.add_option("--width", decoder.width, "Width of the residual stream")
      .capture_default_str();
  command.add_option("--layers", decoder.layers, "Layers").capture_default_str();
  command.add_option("--heads", decoder.heads, "Attention heads").capture_default_str();
  command.add_option("--length", decoder.length, "Tokens of a sequence").capture_default_str();
  command
      .add_option("--window", decoder.window,
                  "Tokens that a row attends to, itself included; 0: all earlier ones")
      .capture_default_str();
  command
      .add_option(
          "--prefix", decoder.prefix,
          "Number of first tokens that attend to each other; only the last of them predicts")
      .capture_default_str();
}

void add_training(const Command& command, language_training::Settings& settings) {
  command.group("Training");
  command.add_option("--steps", settings.steps, "Updates").capture_default_str();
  command.add_option("--batch", settings.batch, "Sequences in a batch").capture_default_str();
  command.add_option("--lr", settings.lr, "Peak learning rate; decays along a cosine to a tenth")
      .capture_default_str();
  command.add_option("--warmup", settings.warmup, "Warm-up steps up to the peak learning rate")
      .capture_default_str();
  command
      .add_option("--weight-decay", settings.weight_decay,
                  "Weight decay of matrices, decoupled as in AdamW")
      .capture_default_str();
  command.add_option("--clip", settings.clip, "Largest gradient norm; 0: no clipping")
      .capture_default_str();
  command.add_option("--seed", settings.seed, "Seed of weights and sequences")
      .capture_default_str();
  command.add_option("--measure-every", settings.measure_every, "Steps between measurements")
      .capture_default_str();
  command.add_option("--held-out", settings.held_out, "Sequences of a measurement")
      .capture_default_str();
}

}  // namespace

void add_train_lm(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("train-lm", "Train small language models and measure when sinks emerge");
  const auto arguments = std::make_shared<TrainLmArguments>();
  command.group("Model");
  command.add_option("text", arguments->text, "Files whose bytes are the text")
      .required()
      .path(output::Use::kReads)
      .type_name("TEXT");
  const auto add_named = [&](const std::string& key, const std::string& help) {
    command.add_option("--" + key, arguments->named.at(key), help).capture_default_str();
  };
  namespace choices = language_training;
  add_named("attention", "Kind: " + choices::names_of(choices::kAttentionKinds));
  add_named(
      "slot-value",
      "Fixed value of the slot of softmax-null, -sink, -key-bias: 0, first-NORM or even-NORM");
  command
      .add_option("--slot-dims", arguments->settings.decoder.slot_dims,
                  "Learned coordinates of a slot's key in each head, the others are 0; 0: all")
      .capture_default_str();
  command
      .add_option("--scale", arguments->settings.decoder.scale,
                  "Factor on the output of every head; the weights of softmax then sum to it")
      .capture_default_str();
  add_named("positions", "Position encoding: " + choices::names_of(choices::kPositionKinds));
  add_named("norm", "Norms: " + choices::names_of(choices::kNormKinds));
  add_named("norm-place", "Norms before sublayers or after their sums: " +
                              choices::names_of(choices::kNormPlaces));
  add_named("mlp", "Feed-forward layers: " + choices::names_of(choices::kMlpKinds));
  add_shape(command, arguments->settings.decoder);
  command.group("Data");
  command.add_flag("--bos", arguments->settings.decoder.bos,
                   "Begin each sequence with a BOS token");
  command
      .add_option("--fixed", arguments->settings.decoder.fixed,
                  "Position, from 1, whose token is always BOS; 0: none")
      .capture_default_str();
  add_named("random", "Positions whose bytes are random in training: K or FIRST-LAST; 0: none");
  command
      .add_option("--train-bytes", arguments->settings.data.train_bytes,
                  "Bytes of text to train on; 0: all that is not held out")
      .capture_default_str();
  add_training(command, arguments->settings);
  add_instruction_set(command, arguments->instruction_set);
  command.group("Comparison");
  std::string presets;
  for (const reproduce::Preset& preset : reproduce::kPresets) {
    presets += (presets.empty() ? "" : ", ") + std::string(preset.name);
  }
  command
      .add_option("--preset", arguments->preset,
                  "An experiment of arXiv:2410.10781, with its published figures: " + presets)
      .type_name("NAME");
  command
      .add_option(
          "--compare", arguments->comparisons,
          "KEY=VALUE,...: one more run for each value; keys: " + language_training::setting_keys())
      .one_value_each()
      .type_name("LIST");
  command
      .add_option("--seeds", arguments->seeds,
                  "Seeds of each run, from --seed on; tables show mean and standard deviation")
      .between(std::uint64_t{1}, std::uint64_t{100})
      .capture_default_str();
  command.group("Output");
  command.add_option("-o,--output", arguments->folder, "Folder for models, logs, charts, table")
      .required()
      .path(output::Use::kWritesFolder)
      .type_name("DIR");
  add_common(command, arguments->common);
  command.example("sinkproof train-lm book.txt --layers 2 --heads 2 --steps 1000 -o lm");
  command.example("sinkproof train-lm book.txt --compare attention=softmax,sigmoid -o lm");
  arguments->given = [command](const std::string& key) { return command.given("--" + key); };
  command.callback([arguments, &exit_code] { exit_code = run_train_lm(*arguments); });
}

}  // namespace sinkproof::cli
