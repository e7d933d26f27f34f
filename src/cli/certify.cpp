#include <fmt/core.h>

#include <charconv>
#include <memory>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "certify/largest_box.hpp"
#include "certify/requirements.hpp"
#include "check/check.hpp"
#include "claim/refusal.hpp"
#include "cli/certification_text.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"

namespace sinkproof::cli {
namespace {

struct Arguments {
  Common common;
  std::string model;
  model::Overrides overrides;
  certify::Options search;
  std::string semantics = "real";
  std::vector<std::string> require;
  std::string box;
  std::vector<std::string> largest_box;
  std::string output;
  std::optional<std::string> claims;
  std::string triggers;
  std::string confidence = "0.99";
  std::string eta;
  std::string epsilon;
};

exact::Result<void> set_sampling(const Arguments& arguments, certify::Options& options) {
  const auto confidence = exact::parse_decimal(arguments.confidence);
  if (!confidence || *confidence <= 0 || *confidence >= 1) {
    return exact::fail("SP1309", "--confidence " + arguments.confidence.substr(0, 40),
                       "must be a decimal between 0 and 1");
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
                       "must be a position or a range of them, such as 3..5");
  }
  stack.triggers = certify::TriggerRange{*first, *last};
  return {};
}

exact::Result<certify::Options> search_options(const Arguments& arguments,
                                               const std::vector<claim::Requirement>& requirements,
                                               const std::vector<claim::Requirement>& largest_box) {
  certify::Options options = arguments.search;
  for (const auto& each : largest_box) options.properties.push_back(each.property);
  certify::add_required(requirements, options);
  options.jobs = arguments.common.threads();
  for (const auto& set :
       {set_sampling(arguments, options), set_triggers(arguments.triggers, options.stack)}) {
    if (!set) return tl::unexpected(set.error());
  }
  auto hash = accept::claim_text_hash("checkpoint", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  options.claim_hash = std::move(*hash);
  return options;
}

// The search, each of its certificates put to the checker.
exact::Result<certify::Certification> certified(const model::AttentionModel& model,
                                                const std::string& bytes, certify::Options options,
                                                const std::vector<claim::Requirement>& largest_box,
                                                bool quiet) {
  ProgressLine line(quiet);
  options.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
  const std::uint64_t work = options.work;
  const certify::Accept accept = [&](const json::Value& made) {
    return accept::accepted(check::check_checkpoint(made, {bytes}, work));
  };
  if (largest_box.empty()) return certify::certify_accepted(model, std::move(options), accept);
  return certify::certify_largest_box(model, options, largest_box, accept);
}

// What --box says, or the file it names; the task's own box where it says nothing.
exact::Result<model::Overrides> overrides(const Arguments& arguments) {
  model::Overrides result = arguments.overrides;
  if (arguments.box.empty()) return result;
  if (!arguments.largest_box.empty()) {
    return exact::fail("SP1411", "--box and --largest-box", "cannot be said together");
  }
  result.box = arguments.box;
  if (!arguments.box.ends_with(".json")) return result;
  auto text = file::read(arguments.box);
  if (!text) return tl::unexpected(text.error());
  result.box = std::move(*text);
  return result;
}

int run(const Arguments& arguments) {
  if (arguments.semantics != "real") {
    return report_error({"SP1305", "--semantics " + arguments.semantics.substr(0, 40),
                         "this version certifies under semantics real only"});
  }
  const auto bytes = file::read(arguments.model);
  if (!bytes) return report_error(bytes.error());
  const auto reading = overrides(arguments);
  if (!reading) return report_error(reading.error());
  const auto model = model::read(*bytes, arguments.model, *reading);
  if (!model) return report_error(model.error());
  const auto requirements = certify::read_requirements(arguments.require, *model, "--require");
  if (!requirements) return report_error(requirements.error());
  const auto largest_box =
      certify::read_requirements(arguments.largest_box, *model, "--largest-box");
  if (!largest_box) return report_error(largest_box.error());
  const auto options = search_options(arguments, *requirements, *largest_box);
  if (!options) return report_error(options.error());
  auto certification = certified(*model, *bytes, *options, *largest_box, arguments.common.quiet);
  if (!certification) {
    report_error(certification.error());
    return claim::exit_code_of(certification.error());
  }
  const bool states = !certification->certificate["properties"].empty();
  if (!states && !arguments.output.empty()) {
    fmt::print(stderr, "nothing is decided: {} is not written\n", arguments.output);
  }
  if (states && !arguments.output.empty()) {
    const auto written =
        file::replace(arguments.output, certificate::certificate_bytes(certification->certificate));
    if (!written) return report_error(written.error());
  }
  const int exit_code = certify::decide(*requirements, *certification);
  if (arguments.common.json()) {
    print_certification_json(*certification, *model);
  } else if (!arguments.common.quiet) {
    print_certification_text(*certification, *model);
  }
  return exit_code;
}

}  // namespace

void add_certify(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "certify", "Bound the loss and the sink of a checkpoint, for all inputs of the task");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("model", arguments->model, "Checkpoint").required().type_name("M.safetensors");
  command
      .add_option("--length", arguments->overrides.length,
                  "Sequence length (default: the checkpoint's)")
      .between(3, 1000000);
  command.add_option("--attention", arguments->overrides.attention,
                     "Kind of attention, against the metadata");
  command
      .add_option("--num-heads", arguments->overrides.num_heads,
                  "Number of heads, against the metadata")
      .between(1, 1000000);
  command
      .add_option("--num-layers", arguments->overrides.num_layers,
                  "Number of layers, against the metadata")
      .between(1, 1000000);
  command.add_option("--residual", arguments->overrides.residual,
                     "true or false: residual connections, against the metadata");
  command.add_option("--semantics", arguments->semantics, "real").capture_default_str();
  command.add_option("--property", arguments->search.properties, "Only these properties")
      .one_value_each();
  command.add_option("--require", arguments->require, "Threshold, such as 'sup-loss<=0.02'")
      .one_value_each();
  command.add_option("--box", arguments->box,
                     "Noise of every input: 0.5 for [-0.5,0.5] (default: 1), -1..0.25, a list of "
                     "these with commas, one for each coordinate, or FILE.json");
  command
      .add_option("--largest-box", arguments->largest_box,
                  "Look for the largest box [-r,r] that meets a threshold, such as 'sup-loss<=0.1'")
      .one_value_each();
  command.add_option("-o,--output", arguments->output, "Write the certificate here");
  command.add_option("--claims", arguments->claims,
                     "Folder with the claim folders (default: proofs)");
  command.add_option("--seed", arguments->search.seed, "Seed of the attack").capture_default_str();
  constexpr std::uint64_t kMostSamples = 100000;
  command
      .add_option("--samples", arguments->search.samples,
                  "Random sequences for random.* and theorem.tc-2 (0: leave these out)")
      .between(std::uint64_t{0}, kMostSamples)
      .capture_default_str();
  command.add_option("--confidence", arguments->confidence, "Of what the samples show")
      .capture_default_str();
  command.add_option("--eta", arguments->eta,
                     "Loss threshold of random.loss and theorem.tc-2 (default: searched for)");
  command.add_option("--epsilon", arguments->epsilon,
                     "Of random.sink and random.no-sink (default: searched for)");
  command
      .add_option("--work", arguments->search.work,
                  "Times the checker's budget, for samples of random.*")
      .between(std::uint64_t{1}, check::kMostWork)
      .capture_default_str();
  certify::StackOptions& stack = arguments->search.stack;
  command.add_option("--trigger", arguments->triggers,
                     "Only these positions of the trigger, such as 3..5");
  command.add_option("--layer", stack.layer, "Floors and ceilings of one head: its layer, from 0");
  command.add_option("--head", stack.head, "and its number in the layer, from 0");
  command.add_flag("--every-head", stack.every_head, "Floors and ceilings of each head apart, too");
  command
      .add_option("--seconds", stack.seconds, "Budget of the bounds' search, and of --largest-box")
      .capture_default_str();
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sinkproof::cli
