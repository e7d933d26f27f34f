#include "reproduce/smoothing.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/audit_options.hpp"
#include "cli/experiment.hpp"
#include "cli/own_names.hpp"
#include "cli/token_source.hpp"
#include "cli/verbs.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using exact::Result;
using reproduce::NamedPath;
using reproduce::SmoothingMeasurement;

struct SmoothingArguments : ExperimentArguments {
  std::vector<std::string> folders;
  std::vector<std::string> assume_neutral;
  std::vector<std::string> texts;
  std::vector<std::string> tokens;  // files of ids
  std::string bos;
  std::vector<std::size_t> lengths = {64};
  reproduce::SmoothingOptions options;
};

std::vector<NamedPath> named_paths(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = own_names(paths);
  std::vector<NamedPath> all;
  for (std::size_t p = 0; p < paths.size(); ++p) all.push_back({names[p], paths[p]});
  return all;
}

// As `audit` reads a text or a file of ids.
Result<reproduce::TextTokens> text_tokens(const SmoothingArguments& arguments,
                                          const NamedPath& model, const language::Model& read,
                                          const NamedPath& text, std::size_t length) {
  AuditArguments audit;
  audit.common = arguments.common;
  audit.folder = model.path;
  const auto& of_ids = arguments.tokens;
  const bool is_ids = std::find(of_ids.begin(), of_ids.end(), text.path) != of_ids.end();
  (is_ids ? audit.tokens : audit.text) = text.path;
  audit.bos = is_ids ? "" : arguments.bos;
  audit.length = length;
  auto source = token_source(audit, read);
  if (!source) return tl::unexpected(source.error());
  return reproduce::TextTokens{std::move(source->open), std::move(source->origin)};
}

// How many heads the signs put into a case of sm-2 on every sequence.
std::size_t heads_in(const SmoothingMeasurement& one, const char* readout) {
  std::size_t count = 0;
  for (const double share : one.means.at(readout).values) count += share == 1 ? 1 : 0;
  return count;
}

void print_costs(const reproduce::SmoothingRun& result) {
  say("\nproved for the normed inputs as stored\n"
      "  lower, upper  bounds on the least ||W_Q||^2 + ||W_K||^2 with margin 1, accepted by the "
      "trusted checker\n"
      "  gives back    bounds on what gives back each row but the first: the head's values "
      "(diagonal),\n                or an MLP with ReLU (sink); computed with outward rounding, in "
      "no certificate\n"
      "  margin        from it on the sink's block is certainly the cheaper one\n\n"
      "{:<40} {:>5} {:<9} {:>15} {:>15} {:>25} {:>12}\n",
      "model, text, length", "layer", "pattern", "lower", "upper", "gives back", "margin");
  for (const SmoothingMeasurement& one : result.measurements) {
    for (const json::Value& cost : costs_json(one.costs)) {
      const auto text = [&](const char* key) { return cost.value(key, std::string()); };
      say("{:<40} {:>5} {:<9} {:>15} {:>15} {:>25} {:>12}\n", one.label(),
          cost["layer"].get<std::size_t>(), text("pattern"), text("lower"), text("upper"),
          text("identity_lower") + ".." + text("identity_upper"), text("sink_cheaper_from_margin"));
    }
  }
}

void print_text(const SmoothingArguments& arguments, const reproduce::SmoothingRun& result) {
  say("estimates (float64)\n"
      "  cosine          average cosine similarity of two rows: first layer's input..output\n"
      "  theory          the same, from the rows' mean and spread\n"
      "  first           mean cosine of the first token's row with the others, at the output\n"
      "  more/less/turn  heads whose signs show, on every sequence, that uniform attention makes "
      "rows\n                  more alike (s >= 0), less alike (s + t < 0), or more alike up to a "
      "turning point\n\n");
  say("{:<40} {:>9} {:>15} {:>15} {:>7} {:>15}\n", "model, text, length", "sequences", "cosine",
      "theory", "first", "more/less/turn");
  for (const SmoothingMeasurement& one : result.measurements) {
    const auto ends = [&](const char* name) {
      const std::vector<double>& values = one.means.at(name).values;
      return fmt::format("{:.3f}..{:.3f}", values.front(), values.back());
    };
    const estimate::Array& first = one.means.at("first-cosine");
    double sum = 0;
    for (std::size_t i = 1; i < one.length; ++i) {
      sum += first.values[first.values.size() - one.length + i];
    }
    say("{:<40} {:>9} {:>15} {:>15} {:>7.3f} {:>15}\n", one.label(), one.sequences,
        ends("mean-cosine"), ends("predicted-cosine"), sum / static_cast<double>(one.length - 1),
        fmt::format("{}/{}/{}", heads_in(one, "case-a"), heads_in(one, "case-b"),
                    heads_in(one, "case-d")));
    if (!one.remarks.empty()) say("  {}\n", one.remarks);
  }
  if (arguments.options.cost_rows > 0) print_costs(result);
  say("\nwrote {1} to {0} (the rest were up to date)\n", arguments.folder,
      text::counted(result.made.size(), "file"));
}

void print(const SmoothingArguments& arguments, const reproduce::SmoothingRun& result) {
  if (arguments.common.json()) {
    json::Value measurements = json::Value::array();
    for (const SmoothingMeasurement& one : result.measurements) {
      measurements.push_back(smoothing_json(one, nullptr));
      measurements.back().erase("of");
      measurements.back()["costs"] = costs_json(one.costs);
    }
    say_json({{"schema", 1}, {"measurements", std::move(measurements)}, {"made", result.made}});
  } else if (!arguments.common.quiet) {
    print_text(arguments, result);
  }
}

int run_smoothing(SmoothingArguments& arguments) {
  if (arguments.texts.empty() && arguments.tokens.empty()) {
    return refused({"SP1508", arguments.folders.front(),
                    "needs sequences to read; give --text FILE or --tokens FILE"});
  }
  reproduce::SmoothingOptions& options = arguments.options;
  options.models = named_paths(arguments.folders);
  std::vector<std::string> inputs = arguments.texts;
  inputs.insert(inputs.end(), arguments.tokens.begin(), arguments.tokens.end());
  options.texts = named_paths(inputs);
  options.lengths = arguments.lengths;
  options.assumed_neutral = {arguments.assume_neutral.begin(), arguments.assume_neutral.end()};
  options.tokens = [&](const NamedPath& model, const language::Model& read, const NamedPath& text,
                       std::size_t length) {
    return text_tokens(arguments, model, read, text, length);
  };
  return run_experiment(arguments, options, reproduce::smoothing,
                        [&](const reproduce::SmoothingRun& result) { print(arguments, result); });
}

void add_inputs(const Command& command, SmoothingArguments& arguments) {
  command.group("Model");
  add_model_folders(command, arguments.folders);
  command
      .add_option("--assume-neutral", arguments.assume_neutral,
                  "Read config.json as if it did not have this key; every measurement names it")
      .one_value_each()
      .type_name("KEY");
  command.group("Inputs");
  command
      .add_option("--text", arguments.texts,
                  "Text to read as audit does; a .jsonl file, or a folder of .txt files")
      .one_value_each()
      .path(output::Use::kReadsAll)
      .type_name("FILE|DIR");
  command
      .add_option("--tokens", arguments.tokens,
                  "Token ids to read as audit does: JSON, .npy or .jsonl")
      .one_value_each()
      .path(output::Use::kReads)
      .type_name("FILE");
  add_bos(command, arguments.bos, [&arguments] { return !arguments.texts.empty(); });
  command.add_option("--length", arguments.lengths, "Tokens in a sequence (default: 64)")
      .one_value_each()
      .between(2, 1024);
  command
      .add_option("--sequences", arguments.options.sequences,
                  "Most sequences of each text and length")
      .between(1, 4096)
      .capture_default_str();
}

}  // namespace

void add_smoothing(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "smoothing", "Measure whether language models make their tokens alike, and which heads do");
  const auto arguments = std::make_shared<SmoothingArguments>();
  arguments->options.seconds = 900;
  add_inputs(command, *arguments);
  command.group("Costs of patterns");
  command
      .add_option(
          "--cost", arguments->options.cost_rows,
          "Enclose what a sink and a diagonal cost on the first N different tokens, by layer")
      .between(2, 256);
  command
      .add_option("--cost-seconds", arguments->options.cost_seconds, "Budget of each such search")
      .only_where([arguments] { return arguments->options.cost_rows > 0; }, "needs --cost N")
      .between(0.001, kMostSeconds)
      .capture_default_str();
  command.group("Search");
  command
      .add_option("--seconds", arguments->options.seconds,
                  "Budget: begin no measurement later; the same command goes on")
      .between(0.0, kMostSeconds)
      .capture_default_str();
  command.group("Output");
  command.add_option("-o,--output", arguments->folder, "Folder for estimates, tables and figures")
      .required()
      .path(output::Use::kWritesFolder)
      .type_name("DIR");
  add_claims(command, arguments->claims);
  add_common(command, arguments->common);
  command.example("sinkproof smoothing gpt2/ --text book.txt --bos with -o smoothing");
  command.example(
      "sinkproof smoothing out/lm/base --text docs/THEORY.md --length 16 --length 32 -o "
      "out/smooth");
  command.callback([arguments, &exit_code] { exit_code = run_smoothing(*arguments); });
}

}  // namespace sinkproof::cli
