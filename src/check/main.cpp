// sinkproof-check: the trusted checker alone. No solver, no trainer, no search is linked in.
#include <CLI/CLI.hpp>

#include "check/command_line.hpp"

int main(int argc, char** argv) {
  CLI::App program(
      "Re-verifies sinkproof certificates, from the certificate, the claim and the model alone.");
  program.set_version_flag("--version", "sinkproof-check " SINKPROOF_VERSION);
  sinkproof::check::Arguments arguments;
  sinkproof::check::add_arguments(program, arguments);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  }
  return sinkproof::check::run(arguments);
}
