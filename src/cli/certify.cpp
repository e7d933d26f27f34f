#include <fmt/core.h>

#include <iostream>
#include <memory>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/overrides.hpp"
#include "certify/accepted.hpp"
#include "check/check.hpp"
#include "check/find.hpp"
#include "claim/refusal.hpp"
#include "claim/requirement.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "gate/ask_checker.hpp"

namespace sinkproof::cli {
namespace {

constexpr unsigned kDigits = 10;

struct Arguments {
  Common common;
  std::string model;
  std::optional<std::size_t> length;
  std::optional<std::string> attention;
  std::optional<std::size_t> num_heads;
  std::optional<std::size_t> num_layers;
  std::optional<bool> residual;
  std::string semantics = "real";
  std::vector<std::string> properties;
  std::vector<std::string> require;
  std::string output;
  std::string claims;
  std::uint64_t seed = 0;
  std::uint64_t samples = 0;
  std::string confidence = "0.99";
  std::string eta;
};

json::Value optional_text(const std::optional<exact::Rational>& value, bool up) {
  if (!value) return nullptr;
  return up ? exact::decimal_up(*value, kDigits) : exact::decimal_down(*value, kDigits);
}

json::Value witness_json(const std::optional<certify::Witness>& witness) {
  if (!witness) return nullptr;
  json::Value tokens = json::Value::array();
  for (const auto& token : witness->tokens) {
    json::Value row = json::Value::array();
    for (const exact::Rational& x : token) row.push_back(exact::to_string(x));
    tokens.push_back(std::move(row));
  }
  return {{"trigger", witness->trigger},
          {"tokens", tokens},
          {"row", witness->row},
          {"coordinate", witness->coordinate}};
}

json::Value property_json(const certify::Property& property, const model::AttentionModel& model) {
  json::Value entry = {{"name", property.name},
                       {"scope",
                        {{"length", model.length},
                         {"trigger", {3, model.length}},
                         {"rows", property.rows},
                         {"box", "[-1,1]^" + std::to_string(model.d_model - 3)}}},
                       {"verdict", property.verdict},
                       {"lower", optional_text(property.lower, false)},
                       {"upper", optional_text(property.upper, true)},
                       {"witness", witness_json(property.witness)},
                       {"seconds", property.seconds}};
  if (property.name.starts_with("theorem.")) {
    entry["hypothesis"] = property.hypothesis;
    entry["implied"] = optional_text(property.implied, false);
    entry["certified"] = optional_text(property.certified, false);
  }
  if (property.probability) {
    entry["probability"] = optional_text(property.probability, false);
    entry["exceedance"] = optional_text(property.exceedance, true);
    entry["exceeding"] = property.exceeding;
  }
  if (!property.reason.empty()) entry["reason"] = property.reason;
  return entry;
}

void print_json(const certify::Certification& certification, const model::AttentionModel& model) {
  json::Value properties = json::Value::array();
  for (const auto& property : certification.properties) {
    properties.push_back(property_json(property, model));
  }
  const json::Value report = {{"schema", 1},
                              {"model",
                               {{"attention", model::to_string(model.attention)},
                                {"d_model", model.d_model},
                                {"num_heads", model.num_heads},
                                {"num_layers", model.layers.size()},
                                {"overrides", model.overrides},
                                {"residual", model.residual},
                                {"sha256", model.sha256}}},
                              {"semantics", "real"},
                              {"length", model.length},
                              {"properties", properties}};
  std::cout << report.dump(2) << '\n';
}

void print_text(const certify::Certification& certification, const model::AttentionModel& model) {
  fmt::print(
      "{}, {} head{}, d_model {}, length {}, semantics real, all inputs of the box [-1,1]^{}\n",
      model::to_string(model.attention), model.num_heads, model.num_heads == 1 ? "" : "s",
      model.d_model, model.length, model.d_model - 3);
  if (const auto reading = certificate::overrides_text(model.overrides); !reading.empty()) {
    fmt::print("{}\n", reading);
  }
  constexpr std::size_t kWide = 14;
  fmt::print("{:<20} {:<14} {:>14} {:>14} {:>8}\n", "property", "verdict", "lower", "upper",
             "seconds");
  for (const auto& p : certification.properties) {
    const std::string padding(p.verdict.size() < kWide ? kWide - p.verdict.size() : 0, ' ');
    const std::string lower = p.lower ? exact::decimal_down(*p.lower, kDigits) : "";
    const std::string upper = p.upper ? exact::decimal_up(*p.upper, kDigits) : "";
    fmt::print("{:<20} {}{} {:>14} {:>14} {:>8.2f}\n", p.name, shown_verdict(p.verdict), padding,
               lower, upper, p.seconds);
    if (p.implied) {
      fmt::print("  implies BOS attention >= {}; certified >= {}\n",
                 exact::decimal_down(*p.implied, 6), exact::decimal_down(*p.certified, 6));
    }
    if (p.probability && p.implied) {
      fmt::print(
          "  {} samples exceed: P[loss > eta] <= {} in confidence, so that floor has "
          "probability >= {}\n",
          p.exceeding, exact::decimal_up(*p.exceedance, 6), exact::decimal_down(*p.probability, 6));
    }
    if (!p.hypothesis.empty()) fmt::print("  {}\n", p.hypothesis);
  }
}

// Sets the verdicts of required properties; the exit code of all requirements together.
int apply(const std::vector<claim::Requirement>& requirements,
          certify::Certification& certification) {
  std::set<int> codes = {kOk};
  for (const claim::Requirement& requirement : requirements) {
    for (certify::Property& property : certification.properties) {
      if (property.name != requirement.property) continue;
      const claim::Verdict decided = claim::decide(requirement, property.lower, property.upper);
      const std::string verdict = claim::to_string(decided);
      codes.insert(claim::exit_code(decided));
      // Of several requirements on one property the worst is shown.
      const bool first = property.verdict == "enclosed";
      if (first || verdict == "refuted" || (verdict == "unknown" && property.verdict == "proved")) {
        property.verdict = verdict;
        property.reason = requirement.text;
      }
    }
  }
  return check::worst_exit_code(codes);
}

exact::Result<std::vector<claim::Requirement>> parse_requirements(
    const Arguments& arguments, const model::AttentionModel& model) {
  const auto known = certify::property_names(model);
  std::vector<claim::Requirement> requirements;
  for (const std::string& text : arguments.require) {
    const auto requirement = claim::parse_requirement(text, "--require");
    if (!requirement) return tl::unexpected(requirement.error());
    const auto parts = claim::expand(*requirement, known, model.length, "--require");
    if (!parts) return tl::unexpected(parts.error());
    requirements.insert(requirements.end(), parts->begin(), parts->end());
  }
  return requirements;
}

exact::Result<void> set_sampling(const Arguments& arguments, certify::Options& options) {
  options.samples = arguments.samples;
  const auto confidence = exact::parse_decimal(arguments.confidence);
  if (!confidence || *confidence <= 0 || *confidence >= 1) {
    return exact::fail("SP1309", "--confidence " + arguments.confidence.substr(0, 40),
                       "must be a decimal between 0 and 1");
  }
  options.alpha = 1 - *confidence;
  if (arguments.eta.empty()) return {};
  const auto eta = exact::parse_decimal(arguments.eta);
  if (!eta || *eta <= 0) {
    return exact::fail("SP1309", "--eta " + arguments.eta.substr(0, 40),
                       "must be a positive decimal");
  }
  options.eta = *eta;
  return {};
}

int run(const Arguments& arguments) {
  if (arguments.semantics != "real") {
    return report_error({"SP1305", "--semantics " + arguments.semantics.substr(0, 40),
                         "this version certifies under semantics real only"});
  }
  const model::Overrides overrides{arguments.attention, arguments.length, arguments.residual,
                                   arguments.num_heads, arguments.num_layers};
  const auto model = model::load(arguments.model, overrides);
  if (!model) return report_error(model.error());
  const auto bytes = file::read(arguments.model);
  if (!bytes) return report_error(bytes.error());
  const auto requirements = parse_requirements(arguments, *model);
  if (!requirements) return report_error(requirements.error());

  certify::Options options;
  options.properties = arguments.properties;
  if (!options.properties.empty()) {
    for (const claim::Requirement& requirement : *requirements) {
      options.properties.push_back(requirement.property);
    }
  }
  options.seed = arguments.seed;
  options.jobs = arguments.common.threads();
  const auto sampled = set_sampling(arguments, options);
  if (!sampled) return report_error(sampled.error());
  const auto claims = arguments.claims.empty()
                          ? std::nullopt
                          : std::optional<std::filesystem::path>(arguments.claims);
  const auto folder = check::find_claim("checkpoint", claims, arguments.output);
  if (!folder) return report_error(folder.error());
  const auto hash = certificate::claim_hash(*folder);
  if (!hash) return report_error(hash.error());
  options.claim_hash = *hash;

  exact::Result<certify::Certification> certification = tl::unexpected(exact::Error{});
  {
    ProgressLine line(arguments.common.quiet);
    options.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
    certification = certify::certify_accepted(*model, options, gate::checkpoint_checker(*bytes));
  }
  if (!certification) {
    report_error(certification.error());
    return claim::exit_code_of(certification.error());
  }
  if (!arguments.output.empty()) {
    const auto written =
        file::replace(arguments.output, certificate::certificate_bytes(certification->certificate));
    if (!written) return report_error(written.error());
  }
  int exit_code = apply(*requirements, *certification);
  for (const certify::Property& property : certification->properties) {
    if (property.verdict == "unknown" && exit_code == kOk) exit_code = kUnknown;
  }
  if (arguments.common.json()) {
    print_json(*certification, *model);
  } else if (!arguments.common.quiet) {
    print_text(*certification, *model);
  }
  return exit_code;
}

}  // namespace

void add_certify(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "certify", "Bound the loss and the sink of a checkpoint, for all inputs of the task");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("model", arguments->model, "Checkpoint").required().type_name("M.safetensors");
  command.add_option("--length", arguments->length, "Sequence length (default: the checkpoint's)")
      .between(3, 1000000);
  command.add_option("--attention", arguments->attention,
                     "Kind of attention, against the metadata");
  command.add_option("--num-heads", arguments->num_heads, "Number of heads, against the metadata")
      .between(1, 1000000);
  command
      .add_option("--num-layers", arguments->num_layers, "Number of layers, against the metadata")
      .between(1, 1000000);
  command.add_option("--residual", arguments->residual,
                     "true or false: residual connections, against the metadata");
  command.add_option("--semantics", arguments->semantics, "real").capture_default_str();
  command.add_option("--property", arguments->properties, "Only these properties").one_value_each();
  command.add_option("--require", arguments->require, "Threshold, such as 'sup-loss<=0.02'")
      .one_value_each();
  command.add_option("-o,--output", arguments->output, "Write the certificate here");
  command.add_option("--claims", arguments->claims,
                     "Folder with the claim folders (default: proofs)");
  command.add_option("--seed", arguments->seed, "Seed of the attack").capture_default_str();
  constexpr std::uint64_t kMostSamples = 100000;
  command
      .add_option("--samples", arguments->samples,
                  "Random sequences for theorem.tc-2 (0: leave that property out)")
      .between(std::uint64_t{0}, kMostSamples)
      .capture_default_str();
  command.add_option("--confidence", arguments->confidence, "Of theorem.tc-2's bound")
      .capture_default_str();
  command.add_option("--eta", arguments->eta,
                     "Loss threshold of theorem.tc-2, at most 1/12 (default: searched for)");
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sinkproof::cli
