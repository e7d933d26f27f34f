#include "check/command_line.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string_view>

#include "exact/memory.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {
namespace {

json::Value json_row(const Outcome& outcome) {
  return {{"file", outcome.file},         {"claim", outcome.claim},   {"verdict", outcome.verdict},
          {"evidence", outcome.evidence}, {"reason", outcome.reason}, {"code", outcome.code}};
}

// A reason may quote the certificate, which anybody may have written: without this a property's
// name could hold a line feed and a line that reads like another file's verdict, or a terminal's
// escape.
std::string one_line(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool c1_control = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080..U+009F
    if (byte >= 0x20 && byte != 0x7F && !c1_control) {
      shown += text[i];
      continue;
    }
    shown += "\\x";
    shown += digits[byte >> 4U];
    shown += digits[byte & 15U];
  }
  return shown;
}

void print_row(const Outcome& outcome) {
  std::cout << outcome.verdict;
  if (!outcome.evidence.empty() && outcome.verdict != "rejected") {
    std::cout << " (" << outcome.evidence << ")";
  }
  std::cout << "  " << outcome.claim << "  " << one_line(outcome.file);
  if (!outcome.code.empty()) std::cout << "  " << outcome.code;
  if (!outcome.reason.empty()) std::cout << "  " << one_line(outcome.reason);
  std::cout << '\n';
}

}  // namespace

void add_accept(CLI::App& command, std::vector<std::string>& accept) {
  command.add_option("--accept", accept, "Take these on trust: smt, coq, statistical")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"smt", "coq", "statistical"}));
}

void add_work(CLI::App& command, std::uint64_t& work) {
  command.add_option("--work", work, "Times the work that a checkpoint certificate may ask for")
      ->check(CLI::Range(std::uint64_t{1}, kMostWork))
      ->capture_default_str();
}

void add_arguments(CLI::App& command, Arguments& arguments) {
  command.add_option("files", arguments.files, "Certificates to check")
      ->required()
      ->type_name("FILE");
  command.add_option("--models", arguments.models,
                     "Folder with the models; they are found by their SHA-256");
  command.add_option("--claims", arguments.claims,
                     "Folder with the claim folders (default: proofs)");
  add_accept(command, arguments.accept);
  add_work(command, arguments.work);
  command.add_option("--format", arguments.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_flag("--quiet", arguments.quiet, "Print nothing; the exit code says it all");
}

int run(const Arguments& arguments) {
  Options options;
  if (!arguments.models.empty()) options.models = arguments.models;
  if (!arguments.claims.empty()) options.claims = arguments.claims;
  options.work = arguments.work;
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
    std::cout << report.dump(2, ' ', false, json::Value::error_handler_t::replace) << '\n';
  }
  return worst_exit_code(codes);
}

int program(int argc, char** argv) {
  exact::throw_where_gmp_finds_no_memory();
  CLI::App command(
      "Re-verifies sinkproof certificates, from the certificate, the claim and the model alone.");
  command.set_version_flag("--version", "sinkproof-check " SINKPROOF_VERSION);
  Arguments arguments;
  add_arguments(command, arguments);
  try {
    command.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command.exit(error) == 0 ? 0 : 2;
  }
  return run(arguments);
}

}  // namespace sinkproof::check
