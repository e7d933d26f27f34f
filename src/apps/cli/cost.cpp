// sinkproof cost: what a sink and a diagonal cost for given embeddings, certified (claim co-6).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "claim/verdict.hpp"
#include "cli/cost_text.hpp"
#include "cli/pattern_options.hpp"
#include "cli/verbs.hpp"
#include "measure/weigh.hpp"
#include "output/replace.hpp"

namespace sinkproof::cli {
namespace {

using exact::Result;

struct CostArguments {
  Common common;
  measure::WeighRequest request;
  std::string output;
  std::optional<std::string> claims;
};

Result<measure::Weighing> weighed(const CostArguments& arguments) {
  const auto hash = accept::claim_text_hash("vectors", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  const double goal = std::log(arguments.request.gap);
  std::optional<ProgressLine> line;  // one for each pattern
  std::string shown;
  return measure::weigh(arguments.request, *hash, accept::ask_about_vectors,
                        [&](const std::string& pattern, double gap) {
                          if (!std::isfinite(gap)) gap = 1;
                          if (pattern != shown) line.emplace(arguments.common.quiet);
                          shown = pattern;
                          line->show(fmt::format("{}: gap {:.2g}", pattern, gap),
                                     std::clamp(std::log(std::max(gap, 1e-9)) / goal, 0.0, 1.0));
                        });
}

int exit_code_of(const std::vector<measure::Answer>& answers) {
  std::vector<int> codes;
  for (const measure::Answer& answer : answers) {
    if (answer.verdict == "refuted") codes.push_back(kRefuted);
    if (answer.verdict == "unknown") codes.push_back(kUnknown);
  }
  return claim::combined_exit_code(codes);
}

int run_cost(const CostArguments& arguments) {
  const auto weighing = weighed(arguments);
  if (!weighing) return refused(weighing.error());
  if (!arguments.output.empty() && !weighing->certificate.is_null()) {
    const auto written =
        output::replace(arguments.output, certificate::certificate_bytes(weighing->certificate));
    if (!written) return report_error(written.error());
  }
  if (arguments.common.json()) {
    print_cost_json(*weighing);
  } else if (!arguments.common.quiet) {
    print_cost_text(*weighing);
  }
  return exit_code_of(weighing->answers);
}

}  // namespace

void add_cost(const Command& program, int& exit_code) {
  const Command command = program.add_verb("cost",
                                           "Bound the least weight norm of a sink, diagonal or "
                                           "other margin pattern for given embeddings");
  const auto arguments = std::make_shared<CostArguments>();
  measure::WeighRequest& request = arguments->request;
  command.group("Inputs");
  command.add_option("embeddings", request.file, "Embeddings, a tensor [tokens, width]")
      .required()
      .path(output::Use::kReads)
      .type_name("EMBEDDINGS.safetensors");
  command.add_option("--tensor", request.tensor, "Name of the tensor (default: the only one)");
  add_pattern_options(command, request.pattern, "sink-A and diagonal");
  command.group("Properties");
  command.add_flag("--closed-forms", request.closed_forms,
                   "Require the closed forms co-1 to co-4; a hypothesis that fails is an error");
  command.add_flag("--allow-dependent", request.allow_dependent, "Allow linearly dependent tokens");
  command.add_flag("--representable", request.representable,
                   "Also certify the Frobenius margin (ge-1)");
  command.group("Search");
  command.add_option("--gap", request.gap, "Relative gap to stop at")
      .between(1e-6, 0.9)
      .capture_default_str();
  command.add_option("--seconds", request.seconds, "Budget of each pattern's search, in seconds")
      .between(0.01, 1e6)
      .capture_default_str();
  command.group("Output");
  command.add_option("-o,--output", arguments->output, "Certificate to write")
      .path(output::Use::kWrites);
  command
      .add_option("--save-w", request.save,
                  "Write PREFIX<pattern>.safetensors with W_Q.weight, W_K.weight and W")
      .path(output::Use::kWritesBeginning);
  add_claims(command, arguments->claims);
  add_common(command, arguments->common);
  command.example("sinkproof cost embeddings.safetensors");
  command.example(
      "sinkproof cost embeddings.safetensors --roles roles.json -o cost.json --save-w map-");
  command.callback([arguments, &exit_code] { exit_code = run_cost(*arguments); });
}

}  // namespace sinkproof::cli
