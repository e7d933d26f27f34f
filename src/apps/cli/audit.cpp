// `sinkproof audit`: one language model, or several side by side.
#include <memory>

#include "cli/audit_options.hpp"
#include "cli/language_comparison.hpp"
#include "cli/language_measurement.hpp"
#include "cli/verbs.hpp"

namespace sinkproof::cli {
namespace {

exact::Result<int> audit(const AuditArguments& arguments) {
  if (auto fits = check_combination(arguments); !fits) return tl::unexpected(fits.error());
  return arguments.folders.size() > 1 ? compare_language_models(arguments)
                                      : measure_language(arguments);
}

}  // namespace

void add_audit(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "audit", "Measure the sinks of a language model on given tokens, as estimates or enclosures");
  const auto arguments = std::make_shared<AuditArguments>();
  add_audit_options(command, *arguments);
  add_common(command, arguments->common);
  command.example("sinkproof audit gpt2/ --random 16 --evict 4,28 --ablate 5,1");
  command.example("sinkproof audit gpt2/ --text book.txt --bos with --length 32 -o gpt2.json");
  command.callback([arguments, &exit_code] {
    arguments->folder = arguments->folders.front();
    const auto done = audit(*arguments);
    exit_code = done ? *done : refused(done.error());
  });
}

}  // namespace sinkproof::cli
