// One file per verb beside this one.
#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "certificate/strict.hpp"
#include "cli/misspelt.hpp"
#include "cli/verbs.hpp"

namespace sinkproof::cli {

void add_common(const Command& command, Common& common) {
  command.add_option("--format", common.format, "text or json").one_of({"text", "json"});
  command.add_flag("--quiet", common.quiet, "No progress, no table: the exit code says it all");
  command.add_option("--jobs", common.jobs, "Threads (default: all processors)").between(1, 256);
}

namespace {

int refuse(const CLI::App& parser, const CLI::ParseError& error,
           const std::vector<std::string>& words) {
  const std::string why = misspelt(parser, words);
  if (why.empty()) {
    parser.exit(error);
    return kUsage;
  }
  std::fprintf(stderr, "%s\nRun with --help for more information.\n", why.c_str());
  return kUsage;
}

void add_verbs(const Command& program, int& exit_code) {
  add_manual(program, exit_code);
  add_prove(program, exit_code);
  add_check(program, exit_code);
  add_construct(program, exit_code);
  add_convert(program, exit_code);
  add_cost(program, exit_code);
  add_train(program, exit_code);
  add_train_lm(program, exit_code);
  add_certify(program, exit_code);
  add_merge(program, exit_code);
  add_measure(program, exit_code);
  add_gate(program, exit_code);
  add_report(program, exit_code);
  add_reproduce(program, exit_code);
  add_tradeoff(program, exit_code);
  add_explain(program, exit_code);
  add_new_claim(program, exit_code);
}

int parse_and_run(int argc, char** argv) {
  CLI::App parser("Decides claims about attention sinks and leaves evidence anybody can re-check.");
  parser.set_version_flag("--version", "sinkproof " SINKPROOF_VERSION);
  parser.require_subcommand(1);
  const Command program(parser);
  int exit_code = kInternal;
  add_verbs(program, exit_code);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? parser.exit(error)
                                      : refuse(parser, error, {argv + 1, argv + argc});
  }
  return exit_code;
}

}  // namespace

int run(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const certificate::Rejected& rejected) {
    report_error(rejected.error);
    return rejected.exit_code;
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "error SP0999  internal error: %s\n", bug.what());
    return kInternal;
  }
}

std::vector<CommandText> verbs() {
  CLI::App parser;
  int exit_code = kInternal;
  const Command program(parser);
  add_verbs(program, exit_code);
  return verbs_of(program);
}

}  // namespace sinkproof::cli
