#include <memory>

#include "check/command_line.hpp"
#include "cli/verbs.hpp"
#include "model/what_is_at.hpp"

namespace sinkproof::cli {

void add_check(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "check", "Check certificates with the trusted checker (also: sinkproof-check)");
  const auto arguments = std::make_shared<check::Arguments>();
  check::add_arguments(command.app(), *arguments);
  command.example("sinkproof-check --models models model.json");
  command.example("sinkproof-check --accept smt,coq certificates/tc-1.json");
  command.callback([arguments, &exit_code] {
    exit_code = check::run(*arguments);
    if (exit_code == kOk || arguments->quiet || arguments->format != "text") return;
    for (const std::string& file : arguments->files) {
      if (const auto found = model::what_is_at(file, model::Expected::kCertificate);
          !found.empty()) {
        say_to(stderr, "{}: expected a certificate. {}\n", file, found);
      }
    }
  });
}

}  // namespace sinkproof::cli
