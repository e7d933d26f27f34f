#include "prove/prove.hpp"

#include <algorithm>
#include <memory>

#include "accept/accept.hpp"
#include "accept/claims_folder.hpp"
#include "claim/authoring_step.hpp"
#include "cli/installed.hpp"
#include "cli/verbs.hpp"
#include "gate/checkpoint_proof.hpp"
#include "json/strict.hpp"

namespace sinkproof::cli {
namespace {

struct ProveArguments {
  Common common;
  std::vector<std::string> ids;
  bool all = false;
  bool restate = false;
  bool sandbox = false;
  std::string proofs;  // "": ./proofs, else the installed one
  std::string certificates = "certificates";
};

void print_table(const std::vector<prove::ProveRow>& rows) {
  constexpr std::size_t kWide = 10;
  std::size_t widest = 10;
  for (const prove::ProveRow& row : rows) widest = std::max(widest, row.claim.size());
  say("{:<{}} {:<10} {:<16} {:>8}  {}\n", "claim", widest, "verdict", "evidence", "seconds", "gap");
  for (const prove::ProveRow& row : rows) {
    const std::string verdict = claim::to_string(row.verdict);
    const std::string padding(verdict.size() < kWide ? kWide - verdict.size() : 0, ' ');
    say("{:<{}} {}{} {:<16} {:>8.2f}  {}\n", row.claim, widest, shown_verdict(verdict), padding,
        row.evidence, row.seconds, row.gap);
    if (!row.remark.empty()) say("  {}\n", row.remark);
  }
}

void print_json(const std::vector<prove::ProveRow>& rows) {
  json::Value list = json::Value::array();
  for (const prove::ProveRow& row : rows) {
    const std::string code = row.error ? row.error->code : row.gap_code;
    const auto step = claim::authoring_step(code);
    list.push_back(
        {{"claim", row.claim},
         {"verdict", claim::to_string(row.verdict)},
         {"evidence", row.evidence},
         {"seconds", row.seconds},
         {"gap", row.gap},
         {"remark", row.remark},
         {"code", code},
         {"authoring_step", step ? json::Value(static_cast<int>(*step)) : json::Value()}});
  }
  say_json(json::Value({{"schema", 1}, {"claims", list}}));
}

// Why a claim is not proved, and in which of the four steps that is mended.
void print_gap(const prove::ProveRow& row, const std::string& proofs) {
  if (row.error) {
    report_error(claim::with_authoring_step(*row.error));
  } else if (!row.gap.empty()) {
    const auto step = claim::authoring_step(row.gap_code).value_or(claim::AuthoringStep::kClose);
    const std::string code = row.gap_code.empty() ? "" : " " + row.gap_code;
    say_to(stderr, "note{}  {}: {}: {} ({})\n", code,
           (std::filesystem::path(proofs) / row.claim).string(), claim::to_string(row.verdict),
           row.gap, claim::to_string(step));
  }
}

exact::Result<std::vector<prove::ProveRow>> prove_with_progress(const ProveArguments& arguments) {
  prove::ProveOptions options;
  options.proofs = folder_or_default(arguments.proofs, "proofs");
  options.certificates = arguments.certificates;
  if (!arguments.all) options.ids = arguments.ids;
  options.jobs = arguments.common.threads();
  options.restate = arguments.restate;
  options.sandbox = arguments.sandbox;
  ProgressLine line(arguments.common.quiet);
  options.progress = [&](std::size_t done, std::size_t total, const std::string& step) {
    line.show(step, static_cast<double>(done) / static_cast<double>(total));
  };
  options.accept = accept::ask_about_theory;
  options.checkpoint = [&](const claim::Claim& claim) {
    gate::CheckpointOptions checkpoint;
    checkpoint.claims = accept::claims_folder(options.proofs, "checkpoint");
    checkpoint.certificate = options.certificates / (claim.id + ".json");
    checkpoint.jobs = options.jobs;
    checkpoint.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
    return gate::prove_checkpoint_claim(claim, checkpoint);
  };
  return prove::prove_claims(options);
}

int run_prove(const ProveArguments& arguments) {
  if (arguments.ids.empty() && !arguments.all) {
    return report_error(
        {"SP1301", "prove",
         "no claim is named; name claims, such as `sinkproof prove tc-1`, or give --all"});
  }
  const auto rows = prove_with_progress(arguments);
  if (!rows) return refuse_claim(claim::with_authoring_step(rows.error()), arguments.ids);
  if (arguments.common.json()) {
    print_json(*rows);
  } else if (!arguments.common.quiet) {
    print_table(*rows);
  }
  std::vector<int> codes;
  for (const prove::ProveRow& row : *rows) {
    codes.push_back(row.exit_code);
    print_gap(row, folder_or_default(arguments.proofs, "proofs"));
  }
  return claim::combined_exit_code(codes);
}

}  // namespace

void add_prove(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("prove", "Prove claims again and regenerate their certificates");
  const auto arguments = std::make_shared<ProveArguments>();
  command.group("Claims");
  command.add_option("ids", arguments->ids, "Claims, such as tc-1").type_name("ID");
  command.add_flag("--all", arguments->all, "Every claim under --proofs");
  command.add_flag("--restate", arguments->restate,
                   "Accept a claim whose statement has changed since it was proved");
  command.add_flag("--sandbox", arguments->sandbox,
                   "Run Coq in bubblewrap: no network, writes in its own folder only");
  command.group("Inputs and output");
  command
      .add_option("--proofs", arguments->proofs,
                  "Folder of claim folders (default: proofs, else the installed one)")
      .path(output::Use::kReadsAll);
  command.add_option("--certificates", arguments->certificates, "Folder to write to")
      .path(output::Use::kWritesFolder)
      .capture_default_str();
  add_common(command, arguments->common);
  command.example("sinkproof prove tc-1 tc-5 --certificates out");
  command.example("sinkproof prove --all");
  command.callback([arguments, &exit_code] { exit_code = run_prove(*arguments); });
}

}  // namespace sinkproof::cli
