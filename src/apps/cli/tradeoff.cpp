#include "reproduce/tradeoff.hpp"

#include <memory>

#include "cli/experiment.hpp"
#include "cli/verbs.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

struct TradeoffArguments : ExperimentArguments {
  std::vector<std::string> starts;
  reproduce::TradeoffOptions options;
};

std::string shown(const exact::Enclosure& interval) {
  constexpr unsigned kFewDigits = 4;
  return rounded::decimal_down(interval.lower, kFewDigits) + ".." +
         rounded::decimal_up(interval.upper, kFewDigits);
}

void print_text(const TradeoffArguments& arguments, const reproduce::Tradeoff& result) {
  say("estimates on {}: loss and largest error; weights on BOS in rows from 2: "
      "mean, largest mean of a head's row, largest; values: N sum v/(1+v)\n",
      text::counted(arguments.options.sequences, "random sequence"));
  say("box: bounds for all inputs on the largest loss and on the least and largest weight on BOS "
      "(the least leaves out the trigger's row); accepted by the trusted checker; semantics "
      "real\n\n");
  say("{:<16} {:>8} {:>4}  {:<9} {:<8} {:<8} {:<8} {:<8} {:<8} {:<18} {:<18} {}\n", "series",
      "penalty", "seed", "loss", "error", "mean", "row", "largest", "values", "box, loss",
      "box, least BOS", "box, largest BOS");
  for (const reproduce::TradePoint& point : result.points) {
    const reproduce::TradeSample& sample = point.sample;
    say("{:<16} {:>8} {:>4}  {:<9.3g} {:<8.3g} {:<8.3g} {:<8.3g} {:<8.3g} {:<8.3g} ", point.series,
        point.penalty, point.seed, sample.loss, sample.linf, sample.mean_bos,
        sample.largest_mean_bos, sample.largest_bos, sample.value_growth);
    say("{:<18} {:<18} {}\n", point.box ? shown(point.box->loss) : "-",
        point.box ? shown(point.box->floor) : "-", point.box ? shown(point.box->ceiling) : "-");
  }
  say("\nwrote {1} to {0} (the rest were up to date)\n", arguments.folder,
      text::counted(result.made.size(), "file"));
}

void print(const TradeoffArguments& arguments, const reproduce::Tradeoff& result) {
  if (arguments.common.json()) {
    json::Value table = table_json(result.points);
    table["made"] = result.made;
    say_json(table);
  } else if (!arguments.common.quiet) {
    print_text(arguments, result);
  }
}

int run_tradeoff(TradeoffArguments& arguments) {
  for (const std::string& start : arguments.starts) arguments.options.starts.emplace_back(start);
  return run_experiment(arguments, arguments.options, reproduce::tradeoff,
                        [&](const reproduce::Tradeoff& result) { print(arguments, result); });
}

}  // namespace

void add_tradeoff(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "tradeoff", "Train with penalties on attention to BOS and compare the losses");
  const auto arguments = std::make_shared<TradeoffArguments>();
  reproduce::TradeoffOptions& options = arguments->options;
  options.seconds = 20;
  command.group("Models");
  command
      .add_option(
          "--only", options.sizes,
          "Only models of this size, layers x heads (models from --start are always trained)")
      .one_value_each()
      .one_of({reproduce::kTradeSizes.begin(), reproduce::kTradeSizes.end()});
  command
      .add_option("--penalty", options.penalties,
                  "Penalty as in train --bos-penalty; give them in increasing order")
      .one_value_each()
      .capture_default_str();
  command
      .add_option("--start", arguments->starts,
                  "Checkpoint to start from, perturbed, besides random weights")
      .one_value_each()
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--seed", options.seed,
                  "First random seed of training, and seed of the random sequences")
      .capture_default_str();
  command.add_option("--seeds", options.seeds, "Models of each kind")
      .between(std::uint64_t{0}, std::uint64_t{1000})
      .capture_default_str();
  command.group("Training");
  command.add_option("--steps", options.steps, "Training steps of each model")
      .capture_default_str();
  command.add_option("--lr", options.lr, "Learning rate").capture_default_str();
  command.group("Bounds");
  command
      .add_option("--seconds", options.seconds,
                  "Budget of each stack's bounds over the box, at the first and last penalty")
      .between(0.0, kMostSeconds)
      .capture_default_str();
  add_experiment(command, *arguments);
  command.example("sinkproof tradeoff -o trade");
  command.example("sinkproof tradeoff -o trade --only 1x2 --penalty 0 --penalty 0.1");
  command.callback([arguments, &exit_code] { exit_code = run_tradeoff(*arguments); });
}

}  // namespace sinkproof::cli
