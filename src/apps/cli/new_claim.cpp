#include <memory>

#include "claim/authoring_step.hpp"
#include "claim/skeleton.hpp"
#include "cli/verbs.hpp"
#include "json/strict.hpp"

namespace sinkproof::cli {
namespace {

struct NewClaimArguments {
  Common common;
  std::string id;
  std::string kind = "identity";
  std::string proofs = "proofs";
};

std::string next_command(const NewClaimArguments& arguments) {
  const std::string option = arguments.proofs == "proofs" ? "" : " --proofs " + arguments.proofs;
  return "sinkproof prove " + arguments.id + option;
}

void print_json(const NewClaimArguments& arguments, const std::vector<std::string>& files) {
  const json::Value report = {{"schema", 1},
                              {"claim", arguments.id},
                              {"kind", arguments.kind},
                              {"folder", (std::filesystem::path(arguments.proofs) / arguments.id)},
                              {"files", files},
                              {"next", next_command(arguments)}};
  say_json(report);
}

void print_text(const NewClaimArguments& arguments, const std::vector<std::string>& files) {
  const auto folder = std::filesystem::path(arguments.proofs) / arguments.id;
  say("a claim of kind {}, with one mistake in it:\n", arguments.kind);
  for (const std::string& file : files) say("  {}\n", (folder / file).string());
  say("next, run: {}\n  It reports the mistake; {} explains how to correct it\n",
      next_command(arguments), (folder / "README.md").string());
}

int run_new_claim(const NewClaimArguments& arguments) {
  const auto files = claim::write_skeleton(arguments.proofs, arguments.id, arguments.kind);
  if (!files) return report_error(claim::with_authoring_step(files.error()));
  if (arguments.common.json()) {
    print_json(arguments, *files);
  } else if (!arguments.common.quiet) {
    print_text(arguments, *files);
  }
  return kOk;
}

}  // namespace

void add_new_claim(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("new-claim", "Write the folder of a new claim, with one mistake to correct");
  const auto arguments = std::make_shared<NewClaimArguments>();
  command.group("Claim");
  command.add_option("id", arguments->id, "The claim's id, such as my-claim")
      .required()
      .type_name("ID");
  command
      .add_option("--kind", arguments->kind,
                  "identity, implication, smt, construction or checkpoint")
      .capture_default_str();
  command.add_option("--proofs", arguments->proofs, "Folder of claim folders, made when absent")
      .capture_default_str();
  add_common(command, arguments->common);
  command.example("sinkproof new-claim my-1 --kind implication");
  command.example("sinkproof new-claim my-head --kind checkpoint");
  command.callback([arguments, &exit_code] { exit_code = run_new_claim(*arguments); });
}

}  // namespace sinkproof::cli
