#include "check/command_line.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "exact/memory.hpp"
#include "file/streams.hpp"
#include "json/visible.hpp"

namespace sinkproof::check {
namespace {

json::Value json_row(const Outcome& outcome) {
  return {{"file", outcome.file},         {"claim", outcome.claim},   {"verdict", outcome.verdict},
          {"evidence", outcome.evidence}, {"reason", outcome.reason}, {"code", outcome.code}};
}

// A reason may quote the certificate, which anybody may have written.
void print_row(const Outcome& outcome) {
  std::cout << outcome.verdict;
  if (!outcome.evidence.empty() && outcome.verdict != "rejected") {
    std::cout << " (" << outcome.evidence << ")";
  }
  std::cout << "  " << json::visible(outcome.claim) << "  " << json::visible(outcome.file);
  if (!outcome.code.empty()) std::cout << "  " << outcome.code;
  if (!outcome.reason.empty()) std::cout << "  " << json::visible(outcome.reason);
  std::cout << '\n';
}

// From 1 to `most`, in plain decimal. CLI11 alone takes 010 for 8, 0x10 for 16 and " 8" for 8.
CLI::Validator up_to(std::uint64_t most) {
  const std::string end = std::to_string(most);
  const auto refusal = [=](const std::string& text) {
    const bool plain = !text.empty() && text.size() <= end.size() && text[0] != '0' &&
                       text.find_first_not_of("0123456789") == std::string::npos;
    return plain && std::stoull(text) <= most
               ? std::string()
               : "must be a whole number from 1 to " + end + ", but is " + text;
  };
  return {refusal, "UINT in [1 - " + end + "]"};
}

}  // namespace

void add_accept(CLI::App& command, std::vector<std::string>& accept) {
  command.add_option("--accept", accept, "Accept without verification: smt, coq, statistical")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"smt", "coq", "statistical"}));
}

void add_limits(CLI::App& command, Limits& limits) {
  command
      .add_option("--seconds", limits.seconds,
                  "Processor time that the check of one file may take, in seconds")
      ->check(up_to(Limits::kMostSeconds))
      ->capture_default_str();
  command
      .add_option("--memory", limits.memory,
                  "Memory that the check of one file may take, in megabytes; mapped model files do "
                  "not count")
      ->check(up_to(Limits::kMostMemory))
      ->capture_default_str();
}

void add_arguments(CLI::App& command, Arguments& arguments) {
  const auto not_empty = [](const std::string& value) {
    return std::string(value.empty() ? "the value is empty; give one, or leave the option out"
                                     : "");
  };
  command.option_defaults()->group("Inputs");
  command.add_option("files", arguments.files, "Certificates to check")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--models", arguments.models,
                  "Folder with the models; they are found by their SHA-256")
      ->check(not_empty);
  command
      .add_option("--claims", arguments.claims, "Folder with the claim folders (default: proofs)")
      ->check(not_empty);
  command.option_defaults()->group("Checks");
  add_accept(command, arguments.accept);
  add_limits(command, arguments.limits);
  command.option_defaults()->group("General");
  command.add_option("--format", arguments.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_flag("--quiet", arguments.quiet,
                   "Print nothing; report the result by exit code only");
}

int run(const Arguments& arguments) {
  Options options;
  if (!arguments.models.empty()) options.models = arguments.models;
  if (!arguments.claims.empty()) options.claims = arguments.claims;
  options.limits = arguments.limits;
  options.accept.insert(arguments.accept.begin(), arguments.accept.end());
  json::Value rows = json::Value::array();
  std::set<int> codes;
  for (const std::string& file : arguments.files) {
    const Outcome outcome = check_file(file, options);
    codes.insert(outcome.exit_code);
    rows.push_back(json_row(outcome));
    if (arguments.format == "text" && !arguments.quiet) print_row(outcome);
  }
  if (arguments.format == "json" && !arguments.quiet) {
    const json::Value report = {{"schema", 1}, {"files", rows}};
    std::cout << json::visible_dump(report) << '\n';
  }
  return worst_exit_code(codes);
}

int program(int argc, char** argv) {
  exact::throw_where_gmp_finds_no_memory();
  file::keep_standard_streams();
  CLI::App command(
      "Verify sinkproof certificates from the certificate, the claim and the model alone.");
  command.set_version_flag("--version", "sinkproof-check " SINKPROOF_VERSION);
  Arguments arguments;
  add_arguments(command, arguments);
  int exit_code = 0;
  try {
    command.parse(argc, argv);
    exit_code = run(arguments);
  } catch (const CLI::RequiredError&) {
    std::cerr << "no certificate is given; name at least one file\n"
                 "For the options run: sinkproof-check --help\n";
    exit_code = 2;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      command.exit(error);
    } else {
      std::cerr << json::visible(error.what()) << "\nFor the options run: sinkproof-check --help\n";
      exit_code = 2;
    }
  }
  const auto printed = file::flush_standard_output();
  if (printed) return exit_code;
  const exact::Error& error = printed.error();
  std::cerr << "error " << error.code << "  " << error.where << ": " << error.what << '\n';
  return worst_exit_code({exit_code, 2});
}

}  // namespace sinkproof::check
