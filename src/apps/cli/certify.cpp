#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "check/check.hpp"
#include "cli/sweep_text.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "rounded/decimal.hpp"
#include "sweep/share.hpp"
#include "sweep/sweep.hpp"

namespace sinkproof::cli {
namespace {

struct CertifyArguments {
  Common common;
  std::vector<std::string> models;
  std::string journal;
  std::string shard;
  model::Overrides overrides;
  certify::Options search;
  std::string semantics = "real";
  std::vector<std::string> require;
  std::string box;
  std::vector<std::string> largest_box;
  std::string output;
  std::string save_witness;
  std::optional<std::string> claims;
  std::string triggers;
  std::string confidence = "0.99";
  std::string eta;
  std::string epsilon;
};

exact::Result<void> set_sampling(const CertifyArguments& arguments, certify::Options& options) {
  const auto confidence = exact::parse_decimal(arguments.confidence);
  if (!confidence || *confidence <= 0 || *confidence >= 1) {
    return exact::fail("SP1309", "--confidence " + arguments.confidence.substr(0, 40),
                       "must be a decimal between 0 and 1, such as 0.99");
  }
  options.alpha = 1 - *confidence;
  const auto set = [](const std::string& option, const std::string& text,
                      std::optional<exact::Rational>& to) -> exact::Result<void> {
    if (text.empty()) return {};
    const auto threshold = exact::parse_decimal(text);
    if (!threshold || *threshold <= 0) {
      return exact::fail("SP1309", option + text.substr(0, 40), "must be a positive decimal");
    }
    to = *threshold;
    return {};
  };
  if (auto eta = set("--eta ", arguments.eta, options.eta); !eta) return eta;
  if (auto epsilon = set("--epsilon ", arguments.epsilon, options.epsilon); !epsilon) {
    return epsilon;
  }
  if (!options.epsilon || *options.epsilon <= 1) return {};
  return exact::fail("SP1309", "--epsilon " + arguments.epsilon.substr(0, 40), "must be at most 1");
}

// "3..5", or "3".
exact::Result<void> set_triggers(const std::string& text, certify::StackOptions& stack) {
  if (text.empty()) return {};
  const std::size_t dots = text.find("..");
  const auto number = [](std::string_view digits) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const auto first = number(std::string_view(text).substr(0, dots));
  const auto last =
      dots == std::string::npos ? first : number(std::string_view(text).substr(dots + 2));
  if (!first || !last) {
    return exact::fail("SP1410", "--trigger " + text.substr(0, 40),
                       "must be a position or a range of positions, such as 3..5");
  }
  stack.triggers = certify::TriggerRange{*first, *last};
  return {};
}

// What --box says, or the file it names; the task's own box where it says nothing.
exact::Result<model::Overrides> overrides(const CertifyArguments& arguments) {
  model::Overrides result = arguments.overrides;
  if (arguments.box.empty()) return result;
  result.box = arguments.box;
  if (!arguments.box.ends_with(".json")) return result;
  auto text = file::read(arguments.box);
  if (!text) return tl::unexpected(text.error());
  result.box = std::move(*text);
  return result;
}

// Which boxes are tried depends on the one before and on time: there are no units to share.
exact::Result<void> may_look_for_box(const CertifyArguments& arguments) {
  if (arguments.largest_box.empty()) return {};
  if (!arguments.box.empty()) {
    return exact::fail(
        "SP1411", "--box and --largest-box",
        "cannot be combined; --largest-box varies the box itself, so leave --box out");
  }
  if (arguments.journal.empty()) return {};
  return exact::fail("SP1411", "--journal and --largest-box",
                     "cannot be combined; leave --largest-box out and give one --box");
}

// One checkpoint, not a folder of them: -o is a file.
bool names_one_file(const std::vector<std::string>& models) {
  std::error_code ignored;
  return models.size() == 1 && !std::filesystem::is_directory(models.front(), ignored);
}

exact::Result<sweep::Plan> plan_of(const CertifyArguments& arguments) {
  if (auto may = may_look_for_box(arguments); !may) return tl::unexpected(may.error());
  sweep::Plan plan;
  auto checkpoints = sweep::find_checkpoints(arguments.models);
  if (!checkpoints) return tl::unexpected(checkpoints.error());
  plan.checkpoints = std::move(*checkpoints);
  plan.is_single = names_one_file(arguments.models);
  auto reading = overrides(arguments);
  if (!reading) return tl::unexpected(reading.error());
  plan.overrides = std::move(*reading);
  plan.search = arguments.search;
  plan.require = arguments.require;
  plan.largest_box = arguments.largest_box;
  for (const auto& set : {set_sampling(arguments, plan.search),
                          set_triggers(arguments.triggers, plan.search.stack)}) {
    if (!set) return tl::unexpected(set.error());
  }
  return plan;
}

int run_certify(const CertifyArguments& arguments) {
  if (arguments.semantics != "real") {
    return report_error({"SP1305", "--semantics " + arguments.semantics.substr(0, 40),
                         "is not supported; the only semantics is real, so leave --semantics out"});
  }
  const auto plan = plan_of(arguments);
  if (!plan) return report_error(plan.error());
  sweep::Options options;
  options.journal = arguments.journal;
  options.output = arguments.output;
  options.claims = arguments.claims;
  options.jobs = arguments.common.threads();
  if (!arguments.journal.empty()) {
    auto share = sweep::read_share(arguments.shard, sweep::process_environment);
    if (!share) return report_error(share.error());
    options.share = std::move(*share);
    if (options.share.count > 1) options.task = sweep::Task::kShare;
    if (auto written = sweep::write_plan(arguments.journal, *plan); !written) {
      return report_error(written.error());
    }
  } else if (!arguments.shard.empty()) {
    return report_error(
        {"SP1902", "--shard", "needs --journal DIR, the folder that all workers share"});
  }
  if (!arguments.save_witness.empty() && (!plan->is_single || plan->require.empty())) {
    return report_error({"SP1412", "--save-witness " + arguments.save_witness.substr(0, 40),
                         "saves the input that refutes a threshold, so it needs --require and "
                         "exactly one checkpoint"});
  }
  return run_sweep(*plan, std::move(options), arguments.common, arguments.save_witness);
}

void add_model(const Command& command, CertifyArguments& arguments) {
  command.group("Model");
  command.add_option("models", arguments.models, "Checkpoints NAME.safetensors, or folders of them")
      .required()
      .path(output::Use::kReads)
      .type_name("M.safetensors");
  command.add_option("--attention", arguments.overrides.attention,
                     "Attention kind (overrides the metadata): " + model::attention_names());
  command
      .add_option("--num-heads", arguments.overrides.num_heads,
                  "Number of heads (overrides the metadata)")
      .between(1, 64);
  command
      .add_option("--num-layers", arguments.overrides.num_layers,
                  "Number of layers (overrides the metadata)")
      .between(1, 64);
  command.add_option("--residual", arguments.overrides.residual,
                     "true or false: residual connections (overrides the metadata)");
  command.add_option("--scale", arguments.overrides.scale,
                     "Factor of all logits, such as 1/sqrt(16) (default: the metadata's, or 1)");
}

void add_inputs(const Command& command, CertifyArguments& arguments) {
  command.group("Inputs");
  command
      .add_option("--length", arguments.overrides.length,
                  "Sequence length (default: the checkpoint's)")
      .between(3, 1000000);
  command
      .add_option("--box", arguments.box,
                  "Range of the tokens' noise coordinates: 0.5 is [-0.5,0.5]; or -1..0.25; or one "
                  "for each, "
                  "with commas; or FILE.json (default: 1)")
      .path(output::Use::kReads);
  command.add_option("--trigger", arguments.triggers,
                     "Cover only inputs with the trigger at these positions, such as 3..5");
  command.group("");  // not listed: real is the only value so far
  command.add_option("--semantics", arguments.semantics, "Arithmetic; only real is certified")
      .capture_default_str();
}

void add_properties(const Command& command, CertifyArguments& arguments) {
  certify::StackOptions& stack = arguments.search.stack;
  command.group("Properties");
  command
      .add_option("--property", arguments.search.properties,
                  "sup-loss, bos-floor, bos-ceiling, null-floor, null-ceiling, rollout-floor, "
                  "rollout-ceiling, with .pre, .trigger or .post for rows before, at or after the "
                  "trigger; theorem.tc-1 to theorem.tc-4; random.loss, random.sink, "
                  "random.no-sink (default: all that need no samples)")
      .one_value_each();
  command
      .add_option("--require", arguments.require, "Threshold to decide, such as 'sup-loss<=0.02'")
      .one_value_each();
  command
      .add_option("--largest-box", arguments.largest_box,
                  "Find the largest box [-r,r] that meets a threshold, such as 'sup-loss<=0.1'")
      .one_value_each();
  command.add_option("--layer", stack.layer, "Layer index of floors and ceilings, 0-based")
      .between(std::uint64_t{0}, kMostIndex);
  command.add_option("--head", stack.head, "Head index within --layer, 0-based")
      .between(std::uint64_t{0}, kMostIndex);
  command.add_flag("--every-head", stack.every_head,
                   "Also bound the floors and ceilings of each head");
}

void add_search(const Command& command, CertifyArguments& arguments) {
  constexpr std::uint64_t kMostSamples = 100000;
  command.group("Search");
  command
      .add_option("--seconds", arguments.search.stack.seconds,
                  "Time budget of the search, in seconds")
      .between(0.0, kMostSeconds)
      .capture_default_str();
  command
      .add_option("--seed", arguments.search.seed,
                  "Random seed of the counterexample search and the samples")
      .capture_default_str();
  command
      .add_option("--samples", arguments.search.samples,
                  "Random sequences for random.* and theorem.tc-2")
      .between(std::uint64_t{0}, kMostSamples)
      .capture_default_str();
  const auto of_samples = [&arguments](Option option) {
    return option.only_where([&arguments] { return arguments.search.samples != 0; },
                             "needs --samples N");
  };
  of_samples(command.add_option("--confidence", arguments.confidence,
                                "Confidence level of statistical bounds"))
      .capture_default_str();
  of_samples(command.add_option(
      "--eta", arguments.eta,
      "Loss threshold of random.loss and theorem.tc-2 (default: computed from the samples)"));
  of_samples(command.add_option(
      "--epsilon", arguments.epsilon,
      "Threshold of random.sink and random.no-sink (default: computed from the samples)"));
}

void add_outputs(const Command& command, CertifyArguments& arguments) {
  command.group("Output");
  command
      .add_option("-o,--output", arguments.output,
                  "Certificate to write; for several checkpoints, a folder")
      .path([&arguments] {
        return names_one_file(arguments.models) ? output::Use::kWrites : output::Use::kWritesFolder;
      });
  command
      .add_option("--save-witness", arguments.save_witness,
                  "Write the first input that refutes a --require to this file")
      .path(output::Use::kWrites)
      .type_name("FILE.safetensors");
  command
      .add_option("--journal", arguments.journal,
                  "Folder that keeps each result, for later runs and other workers")
      .path(output::Use::kReadsAndWritesFolder)
      .type_name("DIR");
  command
      .add_option("--shard", arguments.shard,
                  "Run as worker K of N on a shared journal, such as 2/4; env/4 reads K from "
                  "SLURM's or MPI's "
                  "environment")
      .type_name("K/N");
  add_claims(command, arguments.claims);
}

}  // namespace

void add_certify(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "certify",
      "Bound the loss and the BOS attention of a checkpoint for all inputs of the trigger task");
  const auto arguments = std::make_shared<CertifyArguments>();
  add_model(command, *arguments);
  add_inputs(command, *arguments);
  add_properties(command, *arguments);
  add_search(command, *arguments);
  add_outputs(command, *arguments);
  add_common(command, arguments->common);
  command.example("sinkproof certify model.safetensors --require 'sup-loss<=0.02' -o model.json");
  command.example("sinkproof certify seeds/ --journal run -o certificates/");
  command.callback([arguments, &exit_code] { exit_code = run_certify(*arguments); });
}

}  // namespace sinkproof::cli
