// What the commands that fill a folder (reproduce/run_folder.hpp) have in common: progress, an
// interrupt that the next run goes on from, what lacks, the exit code.
#pragma once

#include <set>

#include "check/check.hpp"
#include "cli/verbs.hpp"
#include "reproduce/run_folder.hpp"
#include "train/interrupt.hpp"

namespace sinkproof::cli {

struct ExperimentArguments {
  Common common;
  std::string folder;
  std::optional<std::string> claims;
};

// --output, --claims and the common options.
inline void add_experiment(const Command& command, ExperimentArguments& arguments) {
  command.group("Output");
  command.add_option("-o,--output", arguments.folder, "Folder for models, figures and table")
      .required()
      .path(output::Use::kWritesFolder)
      .type_name("DIR");
  add_claims(command, arguments.claims);
  add_common(command, arguments.common);
}

// The exit code of experiment(options), whose result print() is given.
template <typename Options, typename Experiment, typename Print>
int run_experiment(const ExperimentArguments& arguments, Options& options,
                   const Experiment& experiment, const Print& print) {
  options.folder = arguments.folder;
  options.jobs = arguments.common.threads();
  if (arguments.claims) options.claims = *arguments.claims;
  const train::InterruptFlag interrupt;
  options.interrupted = &train::InterruptFlag::flag();
  decltype(experiment(options)) result = tl::unexpected(exact::Error{});
  {
    ProgressLine line(arguments.common.quiet);
    options.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
    result = experiment(options);
  }
  if (!result) return refused(result.error());
  std::set<int> codes = result->checked;
  for (const exact::Error& lack : result->lacks) codes.insert(refused(lack));
  if (result->interrupted) {
    say_to(stderr, "interrupted; run the same command again to continue\n");
    return kUnknown;
  }
  print(*result);
  return check::worst_exit_code(codes);
}

}  // namespace sinkproof::cli
