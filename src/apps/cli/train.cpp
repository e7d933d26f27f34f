#include "train/train.hpp"

#include <fmt/core.h>

#include <memory>
#include <optional>

#include "cli/verbs.hpp"
#include "json/strict.hpp"
#include "model/attention_model.hpp"
#include "text/words.hpp"
#include "train/interrupt.hpp"
#include "train/kernels.hpp"

namespace sinkproof::cli {
namespace {

struct TrainArguments {
  Common common;
  train::Options options;
  std::string attention = "softmax";
  std::string output;
  std::optional<std::string> initial;
  std::optional<std::string> instruction_set;
  std::optional<double> lr;
  std::optional<std::uint64_t> steps;
};

std::string outcome_text(train::Outcome outcome) {
  switch (outcome) {
    case train::Outcome::kConverged:
      return "converged";
    case train::Outcome::kStepLimit:
      return "step-limit";
    case train::Outcome::kInterrupted:
      return "interrupted";
  }
  return "";
}

void print(const train::Result& result, const TrainArguments& arguments) {
  const std::string outcome = outcome_text(result.outcome);
  if (arguments.common.json()) {
    say_json(json::Value({{"schema", 1},
                          {"outcome", outcome},
                          {"steps", result.steps},
                          {"loss", result.loss},
                          {"linf", result.linf},
                          {"target", result.target},
                          {"seconds", result.seconds},
                          {"output", arguments.output}}));
  } else if (!arguments.common.quiet) {
    say("{} {} after {}, batch L-inf {:.4g} (an estimate), {:.2f} s on {}: {}\n",
        arguments.attention, outcome, text::counted(result.steps, "step"), result.linf,
        result.seconds, result.target, arguments.output);
  }
}

int run_train(TrainArguments& arguments) {
  const auto* kind = certificate::find_attention(arguments.attention);
  if (kind == nullptr) {
    return report_error({"SP1307", "--attention " + arguments.attention.substr(0, 40),
                         "is not an attention kind; the kinds are " + model::attention_names()});
  }
  train::Options& options = arguments.options;
  options.shape.attention = kind->attention;
  const train::Pace pace = train::usual_pace(options.shape);
  options.lr = arguments.lr.value_or(pace.lr);
  options.max_steps = arguments.steps.value_or(pace.max_steps);
  options.output = arguments.output;
  options.jobs = arguments.common.threads();
  if (arguments.instruction_set) {
    if (const auto used = train::use_instruction_set(*arguments.instruction_set); !used) {
      return report_error(used.error());
    }
  }
  if (arguments.initial) {
    auto initial = train::read_initial(*arguments.initial, options.shape);
    if (!initial) return report_error(initial.error());
    options.initial = std::move(*initial);
  }
  const train::InterruptFlag interrupt;
  options.interrupted = &train::InterruptFlag::flag();
  exact::Result<train::Result> result = tl::unexpected(exact::Error{});
  {
    ProgressLine line(arguments.common.quiet);
    options.progress = [&](const train::Progress& now) {
      // The stop criterion may come long before the last step, so no time left is stated.
      line.show(fmt::format("step {} of at most {}  loss {:.3g}  L-inf {:.3g}", now.step,
                            options.max_steps, now.loss, now.linf),
                static_cast<double>(now.step) / static_cast<double>(options.max_steps));
    };
    result = train::train(options);
  }
  if (!result) return report_error(result.error());
  print(*result, arguments);
  return result->outcome == train::Outcome::kInterrupted ? kUnknown : kOk;
}

}  // namespace

void add_train(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("train", "Train a small attention model on the trigger task");
  const auto arguments = std::make_shared<TrainArguments>();
  train::Options& options = arguments->options;
  command.group("Model");
  command.add_option("--attention", arguments->attention, "Kind: " + model::attention_names())
      .capture_default_str();
  command.add_option("--layers", options.shape.layers, "Layers").capture_default_str();
  command.add_option("--heads", options.shape.heads, "Attention heads").capture_default_str();
  command.add_flag("--residual", options.shape.residual,
                   "Add residual connections; targets then include the tokens");
  command.add_flag("--bias", options.shape.bias, "Add biases to W_Q, W_K, W_V and W_O");
  command.add_option("--d-model", options.shape.d_model, "Width of a token, 4 or more")
      .capture_default_str();
  command.add_option("--length", options.shape.length, "Sequence length, 3 or more")
      .capture_default_str();
  command.group("Training");
  command.add_option("--steps", arguments->steps,
                     "Largest number of steps (default: 20000, or 100000 for several layers)");
  command.add_option("--lr", arguments->lr,
                     "Learning rate (default: 0.001, or 0.0001 for several layers)");
  command.add_option("--weight-decay", options.weight_decay, "Weight decay, decoupled as in AdamW")
      .capture_default_str();
  command
      .add_option("--initial-deviation", options.initial_deviation,
                  "Standard deviation of the initial weights, around those of --init if given")
      .capture_default_str();
  command
      .add_option("--init", arguments->initial,
                  "Checkpoint of the same shape whose weights to start from")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--bos-penalty", options.bos_penalty,
                  "Penalty factor of the mean squared attention to BOS (samples, layers, heads, "
                  "rows 2 to L), added to the loss")
      .capture_default_str();
  command.add_option("--batch", options.batch, "Sequences in a batch").capture_default_str();
  command.add_option("--stop-linf", options.stop_linf, "Stop below this batch L-inf error")
      .capture_default_str();
  command.add_option("--seed", options.seed, "Random seed of weights and data")
      .capture_default_str();
  add_instruction_set(command, arguments->instruction_set);
  command.add_flag("--resume", options.resume, "Continue an interrupted run");
  command.group("Output");
  command.add_option("-o,--output", arguments->output, "Checkpoint to write")
      .required()
      .path(output::Use::kWrites);
  add_common(command, arguments->common);
  command.example("sinkproof train --attention relu --d-model 16 --length 16 -o relu.safetensors");
  command.example("sinkproof train --layers 2 --heads 2 --residual -o stack.safetensors");
  command.callback([arguments, &exit_code] { exit_code = run_train(*arguments); });
}

}  // namespace sinkproof::cli
