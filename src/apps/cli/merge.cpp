#include <memory>

#include "cli/sweep_text.hpp"
#include "cli/verbs.hpp"
#include "output/paths.hpp"
#include "sweep/sweep.hpp"

namespace sinkproof::cli {
namespace {

struct MergeArguments {
  Common common;
  std::string journal;
  std::string output;
  std::optional<std::string> claims;
};

// Only the journal says which checkpoints are read, and whether --output is a file.
std::vector<output::UsedPath> paths_of(const MergeArguments& arguments, const sweep::Plan& plan) {
  using output::Use;
  std::vector<output::UsedPath> paths = {{"JOURNAL", arguments.journal, Use::kReadsAll}};
  for (const sweep::Checkpoint& each : plan.checkpoints) {
    paths.push_back({"JOURNAL", each.path, Use::kReads});
  }
  if (arguments.claims) paths.push_back({"--claims", *arguments.claims, Use::kReadsAll});
  if (!arguments.output.empty()) {
    const Use use = plan.is_single ? Use::kWrites : Use::kWritesFolder;
    paths.push_back({"--output", arguments.output, use});
  }
  return paths;
}

int run_merge(const MergeArguments& arguments) {
  const auto plan = sweep::read_plan(arguments.journal);
  if (!plan) return report_error(plan.error());
  if (auto fits = output::check_paths(paths_of(arguments, *plan)); !fits) {
    return report_error(fits.error());
  }
  sweep::Options options;
  options.task = sweep::Task::kMerge;
  options.journal = arguments.journal;
  options.output = arguments.output;
  options.claims = arguments.claims;
  options.jobs = arguments.common.threads();
  return run_sweep(*plan, std::move(options), arguments.common);
}

}  // namespace

void add_merge(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "merge", "Make certificates from a journal that workers of `certify` filled");
  const auto arguments = std::make_shared<MergeArguments>();
  command.add_option("journal", arguments->journal, "Folder given to `certify --journal`")
      .required()
      .path(output::Use::kReadsAll)
      .type_name("JOURNAL");
  command.group("Output");
  command.add_option("-o,--output", arguments->output,
                     "Folder for the certificates; for a single checkpoint, the certificate");
  add_claims(command, arguments->claims);
  add_common(command, arguments->common);
  command.example("sinkproof certify seeds/ --journal run --shard 1/2");
  command.example("sinkproof merge run -o certificates/");
  command.callback([arguments, &exit_code] { exit_code = run_merge(*arguments); });
}

}  // namespace sinkproof::cli
