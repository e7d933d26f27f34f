// Each command has a file of its own beside this one.
#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "accept/accept.hpp"
#include "certificate/strict.hpp"
#include "check/check.hpp"
#include "claim/refusal.hpp"
#include "claim/verdict.hpp"
#include "cli/former_names.hpp"
#include "cli/help.hpp"
#include "cli/misspelt.hpp"
#include "cli/verbs.hpp"
#include "file/streams.hpp"
#include "model/what_is_at.hpp"

namespace sinkproof::cli {

void add_instruction_set(const Command& command, std::optional<std::string>& name) {
  command
      .add_option(
          "--instruction-set", name,
          "Train as a processor would that ends at this one: AVX3, AVX2 (default: the best)")
      .type_name("NAME");
}

void add_common(const Command& command, Common& common) {
  command.group(kGeneral);
  command.add_option("--format", common.format, "text or json").one_of({"text", "json"});
  command.add_flag("--quiet", common.quiet, "Print nothing; report the result by exit code only");
  command.add_option("--jobs", common.jobs, "Threads (default: all processors)").between(1, 256);
}

void add_claims(const Command& command, std::optional<std::string>& claims) {
  command.add_option("--claims", claims, "Folder with the claim folders (default: proofs)")
      .path(output::Use::kReadsAll);
}

int refused(const exact::Error& error) {
  report_error(error);
  return claim::exit_code_of(error);
}

int refuse_claim(const exact::Error& error, const std::vector<std::string>& ids) {
  exact::Error explained = error;
  if (error.code == "SP0607") {
    for (const std::string& id : ids) {
      std::error_code ignored;
      if (!std::filesystem::exists(id, ignored)) continue;
      const std::string found = model::what_is_at(id);
      if (!found.empty()) explained.what += ". Name the id of a claim. " + id + ": " + found;
    }
  }
  return report_error(explained);
}

namespace {

// CLI11 asks it for --help.
class Help : public CLI::Formatter {
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode /*mode*/) const override {
    // Nothing is changed: a Command is what reads an App.
    const Command command(
        const_cast<CLI::App&>(*app));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const std::string called =
        app->get_parent() == nullptr ? name : app->get_parent()->get_name() + " " + app->get_name();
    return help_text(command_text(command), called, verbs_of(command));
  }
};

// Before the command line is parsed: it may be what is wrong.
bool asks_for_json(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--format=json") return true;
    if (words[i] == "--format" && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

// CLI11's message about how often an option or its value is given.
std::string miscounted(const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::string name = what.substr(0, what.find(':'));
  if (what.ends_with(" missing")) return name + ": needs a value";
  if (what.find(": At Most 1 required") == std::string::npos) return "";
  return name + ": takes one value, but is given " + what.substr(what.rfind(' ') + 1);
}

int refuse(const CLI::App& parser, const CLI::ParseError& error,
           const std::vector<std::string>& words) {
  std::string why = misspelt(parser, words);
  if (why.empty() && error.get_name() == "RequiredError") why = missing(parser);
  if (why.empty() && error.get_name() == "ArgumentMismatch") why = miscounted(error);
  const auto chosen = parser.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name();
  exact::Error refusal;
  refusal.what = why.empty() ? error.what() : why;
  if (!asks_for_json(words)) {
    refusal.what +=
        "\nFor the options run: sinkproof " + (command.empty() ? "" : command + " ") + "--help";
  }
  refusal.has_lines = true;
  return report_error(refusal);
}

// In the order of docs/COMMANDS.md.
void add_verbs(const Command& program, int& exit_code) {
  add_manual(program, exit_code);
  add_certify(program, exit_code);
  add_merge(program, exit_code);
  add_audit(program, exit_code);
  add_smoothing(program, exit_code);
  add_cover(program, exit_code);
  add_measure(program, exit_code);
  add_sink_share(program, exit_code);
  add_cost(program, exit_code);
  add_check(program, exit_code);
  add_report(program, exit_code);
  add_gate(program, exit_code);
  add_prove(program, exit_code);
  add_explain(program, exit_code);
  add_new_claim(program, exit_code);
  add_construct(program, exit_code);
  add_convert(program, exit_code);
  add_train(program, exit_code);
  add_train_lm(program, exit_code);
  add_reproduce(program, exit_code);
  add_tradeoff(program, exit_code);
}

int parse_and_run(int argc, char** argv) {
  CLI::App parser(
      "Prove or refute claims about attention sinks, with certificates that anyone can check "
      "again.",
      "sinkproof");
  parser.formatter(std::make_shared<Help>());
  parser.get_help_ptr()->group(kGeneral);
  parser.set_version_flag("--version", "sinkproof " SINKPROOF_VERSION);
  parser.get_version_ptr()->group(kGeneral);
  parser.require_subcommand(1);
  const Command program(parser);
  int exit_code = kInternal;
  add_verbs(program, exit_code);
  const std::vector<std::string> words = by_present_name({argv + 1, argv + argc});
  if (asks_for_json(words)) report_errors_as_json();
  try {
    parser.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? parser.exit(error) : refuse(parser, error, words);
  }
  return exit_code;
}

// A certificate that was made, or checked within raised limits, and takes more than the default.
void tell_slow_check() {
  const std::uint64_t usual = check::Limits{}.seconds;
  const std::uint64_t took = accept::slowest_check() / 1000;
  if (took < usual) return;
  say_to(stderr,
         "note: the check of a certificate took {} s of processor time; sinkproof-check stops "
         "after {} s by default, so run it with --seconds {}\n",
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
    report_error({"SP0999", "internal error", bug.what()});
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
