// One file per verb beside this one.
#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/strict.hpp"
#include "check/check.hpp"
#include "claim/verdict.hpp"
#include "cli/misspelt.hpp"
#include "cli/verbs.hpp"
#include "file/streams.hpp"

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
  say_to(stderr, "{}\nRun with --help for more information.\n", why.empty() ? error.what() : why);
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

// A certificate that was made, or checked within raised limits, and takes more than the default.
void tell_slow_check() {
  const std::uint64_t usual = check::Limits{}.seconds;
  const std::uint64_t took = accept::slowest_check() / 1000;
  if (took < usual) return;
  say_to(stderr,
         "note: the check of a certificate took {} s of processor time, and sinkproof-check stops "
         "after {} s: give it --seconds {}\n",
         took, usual, 2 * took);
}

int run_caught(int argc, char** argv) {
  try {
    const int exit_code = parse_and_run(argc, argv);
    tell_slow_check();
    return exit_code;
  } catch (const certificate::Rejected& rejected) {
    report_error(rejected.error);
    return rejected.exit_code;
  } catch (const std::exception& bug) {
    if (std::ferror(stdout) != 0) return kUsage;  // run() reports it
    say_to(stderr, "error SP0999  internal error: {}\n", bug.what());
    return kInternal;
  }
}

}  // namespace

int run(int argc, char** argv) {
  const int exit_code = run_caught(argc, argv);
  const auto printed = file::flush_standard_output();
  return printed ? exit_code
                 : claim::combined_exit_code({exit_code, report_error(printed.error())});
}

std::vector<CommandText> verbs() {
  CLI::App parser;
  int exit_code = kInternal;
  const Command program(parser);
  add_verbs(program, exit_code);
  return verbs_of(program);
}

}  // namespace sinkproof::cli
