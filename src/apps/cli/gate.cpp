#include "gate/gate.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string_view>

#include "check/command_line.hpp"
#include "ci/annotations.hpp"
#include "ci/gate_json.hpp"
#include "ci/junit.hpp"
#include "ci/sarif.hpp"
#include "ci/step_summary.hpp"
#include "ci/words.hpp"
#include "claim/verdict.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "text/printable.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;
using ci::Finding;
using ci::Level;

struct GateArguments {
  Common common;
  std::string config = "sinkproof.toml";
  std::string only_changed;
  std::string output;
  check::Limits limits;
  bool says_seconds = false;  // otherwise sinkproof.toml does
  bool says_memory = false;
  bool locked = false;
  bool sandbox = false;
  bool update = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string word(Level level) {
  switch (level) {
    case Level::kPass:
      return "holds";
    case Level::kWarning:
      return "renewed";
    case Level::kUnchanged:
      return "unchanged";
    case Level::kError:
      break;
  }
  return "FAILS";
}

std::string replaced(std::string text, std::string_view old, std::string_view with) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), with);
    at += with.size();
  }
  return text;
}

// GitHub's runner takes "##[" anywhere in a line for a command, "::" only where a line begins.
std::string no_command(std::string text) { return replaced(std::move(text), "##[", "#?["); }

// The same JSON, in which the runner sees no command either.
std::string shown_json(const std::string& json) { return replaced(json, "##[", "#\\u0023["); }

int tell_error(exact::Error error) {
  for (std::string* text : {&error.where, &error.what}) *text = no_command(*text);
  return report_error(error);
}

// What nobody has accepted yet, to be read: what is stated, and under it the words that describe
// it.
void print_sentences(const Finding& finding) {
  for (const ci::Sentence& sentence : finding.sentences) {
    for (const std::string& stated : sentence.stated) {
      std::istringstream lines(stated);
      for (std::string line; std::getline(lines, line);) {
        say("           {}\n", no_command(line));
      }
    }
    say("             informal description: {}\n", no_command(sentence.text));
  }
}

void print_table(const gate::Run& run) {
  const ci::Summary& summary = run.summary;
  std::size_t red = 0;
  for (const Finding& finding : summary.findings) {
    const bool fails = finding.level == Level::kError;
    if (fails) ++red;
    say("{:<10} {:<11} {}  {}\n", word(finding.level), finding.suite, no_command(finding.subject),
        no_command(ci::asked_text(finding)));
    if (finding.level == Level::kPass && finding.overrides.empty()) continue;
    say("           {}{}{}\n", finding.rule, finding.rule.empty() ? "" : "  ",
        no_command(text::one_line(finding.message)));
    if (fails) {
      say("           at {}:{}\n", no_command(finding.location.file), finding.location.line);
    }
    if (finding.rule == "SP1721") print_sentences(finding);
  }
  say("{}: requirements that hold: {} of {}; {}\n", red == 0 ? "green" : "red",
      summary.findings.size() - red, summary.findings.size(),
      run.output.empty() ? "no reports written" : "reports in " + no_command(run.output.string()));
}

exact::Result<void> append(const fs::path& named, const std::string& text) {
  std::string before;
  std::error_code ignored;
  // A link stays one: what it leads to is what somebody reads.
  const fs::path path = fs::weakly_canonical(named, ignored);
  if (fs::exists(path, ignored)) {
    auto old = file::read(path);
    if (!old) return tl::unexpected(old.error());
    before = std::move(*old);
  }
  return output::replace(path, before + text);
}

// The four reports, and what GitHub reads. All are tried; the first error is returned.
exact::Result<void> write_reports(const gate::Run& run) {
  const ci::Summary& summary = run.summary;
  const std::string markdown = ci::step_summary(summary);
  exact::Result<void> result;
  const auto keep = [&](exact::Result<void> written) {
    if (!written && result) result = std::move(written);
  };
  if (!run.output.empty()) {
    std::error_code error;
    fs::create_directories(run.output, error);
    keep(output::replace(run.output / "gate.json", ci::gate_json(summary)));
    keep(output::replace(run.output / "junit.xml", ci::junit_xml(summary)));
    keep(output::replace(run.output / "results.sarif", ci::sarif(summary)));
    keep(output::replace(run.output / "summary.md", markdown));
  }
  const std::string step_file = environment("GITHUB_STEP_SUMMARY");
  if (!step_file.empty()) keep(append(step_file, markdown));
  return result;
}

// --update: what was made anew takes the place of the stale certificates and of the lock.
exact::Result<void> replace_stale(const gate::Run& run, bool quiet) {
  for (const gate::Renewal& renewal : run.renewals) {
    const auto bytes = file::read(renewal.made);
    if (!bytes) return tl::unexpected(bytes.error());
    std::error_code ignored;
    fs::create_directories(renewal.committed.parent_path(), ignored);
    if (auto written = output::replace(renewal.committed, *bytes); !written) return written;
    if (!quiet) say_to(stderr, "updated {}\n", no_command(renewal.committed.string()));
  }
  const auto before = gate::read_lock(run.lock_at);
  if (!run.lock || (before && *before == run.lock)) return {};
  if (auto written = gate::write_lock(run.lock_at, *run.lock); !written) return written;
  if (!quiet) say_to(stderr, "updated {}\n", no_command(run.lock_at.string()));
  return {};
}

int run_gate(const GateArguments& arguments) {
  gate::Options options;
  options.config = arguments.config;
  options.only_changed = arguments.only_changed;
  options.locked = arguments.locked;
  options.sandbox = arguments.sandbox;
  options.update = arguments.update;
  options.output = arguments.output;
  if (arguments.says_seconds) options.seconds = arguments.limits.seconds;
  if (arguments.says_memory) options.memory = arguments.limits.memory;
  options.jobs = arguments.common.threads();
  gate::Run result;
  {
    ProgressLine line(arguments.common.quiet);
    options.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
    result = gate::run(options);
  }
  int exit_code = result.summary.exit_code;
  if (arguments.update) {
    if (auto updated = replace_stale(result, arguments.common.quiet); !updated) {
      exit_code = claim::combined_exit_code({exit_code, tell_error(updated.error())});
    }
  }
  if (auto written = write_reports(result); !written) {
    exit_code = claim::combined_exit_code({exit_code, tell_error(written.error())});
  }
  if (arguments.common.json()) {
    std::cout << shown_json(ci::gate_json(result.summary));
  } else if (!arguments.common.quiet) {
    print_table(result);
  }
  // The runner reads both streams; standard output holds the JSON alone.
  if (environment("GITHUB_ACTIONS") == "true") {
    (arguments.common.json() ? std::cerr : std::cout) << ci::annotations(result.summary);
  }
  return exit_code;
}

}  // namespace

void add_gate(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("gate", "Check the claims and checkpoints that sinkproof.toml lists");
  const auto arguments = std::make_shared<GateArguments>();
  command.group("Inputs");
  command
      .add_option("config", arguments->config, "File that lists the claims and thresholds to check")
      .type_name("FILE")
      .capture_default_str();
  command
      .add_option("--only-changed", arguments->only_changed,
                  "Check only what changed since HEAD left this branch, tag or commit")
      .type_name("BASE");
  command.group("Certificates");
  const Option locked =
      command.add_flag("--locked", arguments->locked,
                       "Fail on stale or missing certificates instead of making them");
  command
      .add_flag("--update", arguments->update,
                "Replace stale certificates, and accept in sinkproof.lock what is asked now")
      .excludes(locked);
  command.group("Checks");
  command.add_flag("--sandbox", arguments->sandbox,
                   "Run Coq in bubblewrap: no network, writes in its own folder only");
  command.group("Output");
  command.add_option("-o,--output", arguments->output,
                     "Folder for the reports (default: sinkproof-gate beside the file)");
  command.group("Checks");
  check::add_limits(command.app(), arguments->limits);
  add_common(command, arguments->common);
  command.example("sinkproof gate sinkproof.toml --output out");
  command.example("sinkproof gate --locked --only-changed origin/main");
  CLI::App& app = command.app();
  command.callback([arguments, &app, &exit_code] {
    arguments->says_seconds = app.count("--seconds") > 0;
    arguments->says_memory = app.count("--memory") > 0;
    exit_code = run_gate(*arguments);
  });
}

}  // namespace sinkproof::cli
