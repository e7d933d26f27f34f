#include "reproduce/reproduce.hpp"

#include <fmt/core.h>

#include <memory>

#include "cli/experiment.hpp"
#include "cli/verbs.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

struct ReproduceArguments : ExperimentArguments {
  std::vector<std::string> only;
  reproduce::Options options;
};

std::string shown(const std::optional<exact::Enclosure>& interval) {
  if (!interval) return "-";
  constexpr unsigned kFewDigits = 5;
  return rounded::decimal_down(interval->lower, kFewDigits) + ".." +
         rounded::decimal_up(interval->upper, kFewDigits);
}

std::string shown(const reproduce::Moments& moments) {
  return fmt::format("{:.3g} +- {:.2g}", moments.mean, moments.deviation);
}

void print_text(const ReproduceArguments& arguments, const reproduce::Reproduction& result) {
  const reproduce::Draw& draw = arguments.options.draw;
  say("attention on BOS, seed {}; alpha: its average over all rows\n", draw.seed);
  say("sampled: estimates on {} with the trigger at {}: averages over the rows before, at and "
      "after it, and alpha, each with its standard deviation\n",
      text::counted(draw.sequences, "random sequence"), draw.trigger);
  say("drawn: bounds on alpha for {}; box: bounds for all inputs, rows from 2; "
      "both accepted by the trusted checker; semantics real\n\n",
      text::counted(reproduce::kDrawn, "random sequence"));
  say("{:<12} {:>5} {:>4}  {:<19} {:<19} {:<19} {:<19} {:<24} {:<24} {:<24} {}\n", "model", "layer",
      "head", "sampled before", "sampled trigger", "sampled after", "sampled alpha", "drawn alpha",
      "box, before", "box, trigger", "box, after");
  for (const reproduce::BosLine& line : result.lines) {
    say("{:<12} {:>5} {:>4}  {:<19} {:<19} {:<19} {:<19} {:<24} {:<24} {:<24} {}\n", line.model,
        line.layer, line.head, shown(line.sampled.before), shown(line.sampled.trigger),
        shown(line.sampled.after), shown(line.alpha), shown(line.drawn), shown(line.box.before),
        shown(line.box.trigger), shown(line.box.after));
  }
  say("\nwrote {1} to {0} (the rest were up to date)\n", arguments.folder,
      text::counted(result.made.size(), "file"));
}

void print(const ReproduceArguments& arguments, const reproduce::Reproduction& result) {
  if (arguments.common.json()) {
    json::Value table = table_json(result.lines);
    table["made"] = result.made;
    say_json(table);
  } else if (!arguments.common.quiet) {
    print_text(arguments, result);
  }
}

int run_reproduce(ReproduceArguments& arguments) {
  arguments.options.variants = reproduce::variants(arguments.only);
  return run_experiment(arguments, arguments.options, reproduce::reproduce,
                        [&](const reproduce::Reproduction& result) { print(arguments, result); });
}

}  // namespace

void add_reproduce(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "reproduce", "Train the models of arXiv:2603.11487, draw and tabulate their attention");
  const auto arguments = std::make_shared<ReproduceArguments>();
  reproduce::Options& options = arguments->options;
  command.group("Models");
  command.add_option("--only", arguments->only, "Only models of this attention or size")
      .one_value_each()
      .one_of(reproduce::selection_words());
  command.add_option("--seed", options.draw.seed, "Random seed of training and of all sequences")
      .capture_default_str();
  command.group("Bounds");
  command.add_flag("--certify", options.certify_stacks,
                   "Also bound the attention of stacks over the box");
  command.add_option("--seconds", options.seconds, "Budget of each stack's bounds over the box")
      .only_where([arguments] { return arguments->options.certify_stacks; }, "needs --certify")
      .between(0.0, kMostSeconds)
      .capture_default_str();
  add_experiment(command, *arguments);
  command.example("sinkproof reproduce -o paper");
  command.example("sinkproof reproduce -o paper --only 2x2 --only softmax --certify");
  command.callback([arguments, &exit_code] { exit_code = run_reproduce(*arguments); });
}

}  // namespace sinkproof::cli
