#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "accept/accept.hpp"
#include "accept/claims_folder.hpp"
#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "claim/authoring_step.hpp"
#include "claim/claim.hpp"
#include "claim/definitions.hpp"
#include "claim/map.hpp"
#include "claim/stated.hpp"
#include "cli/digits.hpp"
#include "cli/error_codes.hpp"
#include "cli/installed.hpp"
#include "cli/variant_table.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "gate/checkpoint_proof.hpp"
#include "json/strict.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::cli {
namespace {

struct ExplainArguments {
  Common common;
  std::string id;
  std::string proofs;  // "": ./proofs, else the installed ones; so are the others
  std::string certificates;
  std::string checkpoints;
};

std::optional<std::filesystem::path> checkpoint_folder(const ExplainArguments& arguments) {
  const std::string folder = folder_or_default(arguments.checkpoints, "examples/variants");
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder;
}

// In plain words, what checks a step of each rule.
std::string checked_by(certificate::Rule rule) {
  switch (rule) {
    case certificate::Rule::kIdentity:
    case certificate::Rule::kImplication:
      return "expanded exactly by both checkers";
    case certificate::Rule::kConstruction:
      return "recomputed exactly, row by row, by both checkers";
    case certificate::Rule::kVectors:
      return "evaluated exactly by both checkers";
    case certificate::Rule::kSmt:
      return "Z3 and cvc5, with a mutant that must be false; the prove command runs it again";
    case certificate::Rule::kStatement:
      return "its bytes are recorded; the prove command has Coq compare it with the proved theorem";
    case certificate::Rule::kCoq:
      return "Coq, with its assumptions printed; the prove command runs it again";
    case certificate::Rule::kProse:
      return "prose: nothing checks it";
  }
  return "";
}

// The same of one step: an implication may ask for the solvers' word besides.
std::string checked_by(const claim::Claim& claim, const claim::Step& step) {
  const auto text = file::read(claim.folder / step.file);
  const auto content = text ? json::parse_strict(*text, step.file) : tl::unexpected(text.error());
  const bool asks = step.rule == certificate::Rule::kImplication && content &&
                    content->is_object() && content->contains("solvers");
  return checked_by(step.rule) + (asks ? "; " + checked_by(certificate::Rule::kSmt) : "");
}

std::string indented(const std::string& text, const std::string& by) {
  std::string lines = by;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += by;
  }
  return lines;
}

// The author's words, each line marked, so that they cannot look like what a machine decided.
void print_informal(const std::string& what, const std::string& words) {
  say("   informal {}\n{}\n", what, lines(indented(words, "     | ")));
}

// What each sentence states, and under it the words that describe it.
void print_sentences(const claim::Claim& claim) {
  say("{}\n", claim.id);
  print_informal("title", claim.title);
  print_informal("source", claim.source);
  for (std::size_t i = 0; i < claim.sentences.size(); ++i) {
    const claim::Sentence& sentence = claim.sentences[i];
    say("\n{}. formal statement\n", i + 1);
    for (const std::string& name : sentence.says) {
      say("{}\n", lines(indented(claim::stated(claim, name).value_or(name), "     ")));
    }
    print_informal("description", sentence.text);
  }
  if (!claim.hypotheses.empty()) say("\n");
  for (const std::string& one : claim.hypotheses) print_informal("hypothesis", one);
}

// What the sentences rest on, each definition before those that use it.
void print_definitions(const claim::Claim& claim) {
  std::string file;
  for (const claim::Definition& one : claim::definitions_of(claim)) {
    if (file.empty()) say("\ndefinitions that these sentences use\n");
    if (one.file != file) say("\n  {}\n", one.file);
    file = one.file;
    say("\n{}\n", lines(indented(one.text, "    ")));
  }
}

void print_status(const check::Outcome& outcome) {
  say("\nstatus of its certificate: {}", shown_verdict(outcome.verdict));
  if (!outcome.evidence.empty()) say(" by {}", outcome.evidence);
  say("\n");
  if (!outcome.reason.empty()) say("  {}\n", outcome.reason);
}

void print_text(const claim::Claim& claim, const check::Outcome& outcome,
                const std::vector<report::VariantRow>& variants) {
  print_sentences(claim);
  print_definitions(claim);
  say("\nsteps\n");
  for (const claim::Step& step : claim.steps) {
    say("  {} ({})\n    checked by: {}\n", step.name, step.file, checked_by(claim, step));
    print_informal("description", step.establishes);
  }
  if (!variants.empty()) say("\nvariants\n{}", lines(variant_table(variants)));
  print_status(outcome);
}

// A claim about a checkpoint: its thresholds, and what the accepted certificate decides of each.
void print_text(const claim::Claim& claim, const gate::CheckedCheckpoint& checked) {
  print_sentences(claim);
  say("\nmodel {}\n\nthresholds and certified bounds\n", claim.checkpoint->model.string());
  if (checked.requirements.empty()) {
    for (const auto& asked : claim.checkpoint->require) say("  {}\n", asked.text);
  }
  for (const gate::RequirementProof& one : checked.requirements) {
    say("  {}: {}, {} is in [{}, {}]\n", one.requirement.text,
        shown_verdict(claim::to_string(one.verdict)), one.requirement.property,
        rounded::decimal_down(one.lower, kDigits), rounded::decimal_up(one.upper, kDigits));
  }
  print_status(checked.outcome);
}

json::Value sentences_json(const claim::Claim& claim) {
  json::Value list = json::Value::array();
  for (const claim::Sentence& sentence : claim.sentences) {
    json::Value says = json::Value::array();
    for (const std::string& name : sentence.says) {
      says.push_back({{"name", name}, {"stated", claim::stated(claim, name).value_or("")}});
    }
    list.push_back({{"says", says}, {"text", sentence.text}});
  }
  return list;
}

json::Value definitions_json(const claim::Claim& claim) {
  json::Value list = json::Value::array();
  for (const claim::Definition& one : claim::definitions_of(claim)) {
    list.push_back({{"file", one.file}, {"names", one.names}, {"text", one.text}});
  }
  return list;
}

// What the JSON of every kind of claim has.
json::Value claim_json(const claim::Claim& claim, const check::Outcome& outcome) {
  json::Value steps = json::Value::array();
  for (const claim::Step& step : claim.steps) {
    steps.push_back({{"name", step.name},
                     {"file", step.file},
                     {"establishes", step.establishes},
                     {"checked_by", checked_by(claim, step)}});
  }
  return {{"schema", 1},
          {"claim", claim.id},
          {"title", claim.title},
          {"source", claim.source},
          {"statement", claim::statement_of(claim)},
          {"sentences", sentences_json(claim)},
          {"definitions", definitions_json(claim)},
          {"hypotheses", claim.hypotheses},
          {"steps", steps},
          {"verdict", outcome.verdict},
          {"evidence", outcome.evidence},
          {"reason", outcome.reason}};
}

void print_json(const claim::Claim& claim, const gate::CheckedCheckpoint& checked) {
  json::Value requirements = json::Value::array();
  for (const gate::RequirementProof& one : checked.requirements) {
    requirements.push_back({{"required", one.requirement.text},
                            {"property", one.requirement.property},
                            {"verdict", claim::to_string(one.verdict)},
                            {"lower", rounded::decimal_down(one.lower, kDigits)},
                            {"upper", rounded::decimal_up(one.upper, kDigits)}});
  }
  const bool decided = accept::accepted(checked.outcome).has_value();
  json::Value report = claim_json(claim, checked.outcome);
  report["model"] = claim.checkpoint->model.string();
  report["requirements"] = requirements;
  if (decided) report["verdict"] = claim::to_string(checked.verdict);
  say_json(report);
}

int explain_checkpoint(const claim::Claim& claim, const ExplainArguments& arguments) {
  gate::CheckpointOptions options;
  options.claims = accept::claims_folder(arguments.proofs, "checkpoint");
  options.certificate = std::filesystem::path(arguments.certificates) / (claim.id + ".json");
  const auto checked = gate::check_checkpoint(*claim.checkpoint, options);
  if (!checked) return report_error(claim::with_authoring_step(checked.error()));
  if (arguments.common.json()) {
    print_json(claim, *checked);
  } else if (!arguments.common.quiet) {
    print_text(claim, *checked);
  }
  return checked->outcome.exit_code == kOk ? claim::exit_code(checked->verdict)
                                           : checked->outcome.exit_code;
}

void print_json(const claim::Claim& claim, const check::Outcome& outcome,
                const std::vector<report::VariantRow>& variants) {
  json::Value report = claim_json(claim, outcome);
  if (!variants.empty()) report["variants"] = variant_json(variants);
  say_json(report);
}

constexpr std::string_view kMap = "map";

// The accepted certificates of the claims that the map cites, by id.
std::map<std::string, json::Value> accepted_claims(const claim::Map& map,
                                                   const ExplainArguments& arguments) {
  check::Options options;
  options.claims = arguments.proofs;
  options.accept = {"smt", "coq"};
  std::map<std::string, json::Value> accepted;
  for (const claim::Cell& cell : map.cells) {
    for (const claim::Citation& citation : cell.says) {
      const auto path = std::filesystem::path(arguments.certificates) / (citation.claim + ".json");
      if (accepted.contains(citation.claim)) continue;
      const auto outcome = check::check_file(path, options);
      const auto envelope = certificate::read_envelope(path);
      const bool holds = outcome.verdict == "proved" && envelope;
      accepted[citation.claim] = holds ? envelope->value : json::Value();
    }
  }
  return accepted;
}

struct ShownCell {
  const claim::Cell& cell;
  bool proved = false;  // everything it cites is
};

void print_map(const claim::Map& map, const std::vector<ShownCell>& cells) {
  constexpr std::size_t kWide = 24;
  say("What forces a sink\n\n{:<{}}", "", kWide);
  for (const std::string& kernel : map.kernels) say("  {}", kernel);
  for (std::size_t s = 0; s < map.settings.size(); ++s) {
    say("\n{:<{}}", map.settings[s], kWide);
    for (std::size_t k = 0; k < map.kernels.size(); ++k) {
      const std::size_t wide = std::max(map.kernels[k].size(), map.cell(s, k).verdict.size());
      say("  {:<{}}", map.cell(s, k).verdict, wide);
    }
  }
  say("\n");
  std::string setting;
  for (const auto& [cell, proved] : cells) {
    if (cell.setting != setting) say("\n{}\n", cell.setting);
    setting = cell.setting;
    std::string said;
    for (const claim::Citation& one : cell.says) {
      said += (said.empty() ? "" : ", ") + one.claim + " " + one.name;
    }
    say("  {}: {}\n    {}\n    stated by: {}{}\n", cell.kernel, cell.verdict, cell.text,
        said.empty() ? "nothing" : said, proved ? "" : " (not proved here)");
  }
}

void print_json(const std::vector<ShownCell>& cells) {
  json::Value list = json::Value::array();
  for (const auto& [cell, proved] : cells) {
    json::Value says = json::Value::array();
    for (const claim::Citation& one : cell.says) says.push_back(one.claim + ":" + one.name);
    list.push_back({{"setting", cell.setting},
                    {"kernel", cell.kernel},
                    {"verdict", cell.verdict},
                    {"text", cell.text},
                    {"says", says},
                    {"proved", proved}});
  }
  say_json(json::Value({{"schema", 1}, {"cells", list}}));
}

int explain_map(const ExplainArguments& arguments) {
  const auto map = claim::read_map(arguments.proofs);
  if (!map) return report_error(map.error());
  const auto accepted = accepted_claims(*map, arguments);
  std::vector<ShownCell> cells;
  for (const claim::Cell& cell : map->cells) {
    const bool proved = std::all_of(cell.says.begin(), cell.says.end(), [&](const auto& one) {
      return claim::proves(accepted.at(one.claim), one.name);
    });
    cells.push_back({cell, proved});
  }
  if (arguments.common.json()) {
    print_json(cells);
  } else if (!arguments.common.quiet) {
    print_map(*map, cells);
  }
  const bool all =
      std::all_of(cells.begin(), cells.end(), [](const ShownCell& shown) { return shown.proved; });
  return all ? kOk : claim::exit_code(claim::Verdict::kUnknown);
}

int explain_code(const ErrorCode& code, const ExplainArguments& arguments) {
  if (arguments.common.json()) {
    say_json({{"schema", 1},
              {"code", arguments.id},
              {"meaning", code.meaning},
              {"remedy", code.remedy}});
  } else if (!arguments.common.quiet) {
    say("{}: {}\nWhat to do: {}\n", arguments.id, code.meaning, code.remedy);
  }
  return kOk;
}

// "SP0401", however it is typed; "" for what is not spelled like a code.
std::string as_code(std::string id) {
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::toupper(c); });
  const bool is_code = id.size() == 6 && id.starts_with("SP") &&
                       id.find_first_not_of("0123456789", 2) == std::string::npos;
  return is_code ? id : "";
}

int run_explain(ExplainArguments arguments) {
  if (const std::string id = as_code(arguments.id); !id.empty()) {
    const auto code = error_code(id);
    if (!code) return report_error({"", "", id + " is not an error code; docs/ERRORS.md has all"});
    arguments.id = id;
    return explain_code(*code, arguments);
  }
  if (arguments.id == kMap) return explain_map(arguments);
  const auto folder = claim::find_claim(arguments.proofs, arguments.id);
  if (!folder) return refuse_claim(folder.error(), {arguments.id});
  const auto claim = claim::load_claim(*folder);
  if (!claim) return report_error(claim::with_authoring_step(claim.error()));
  if (claim->checkpoint) return explain_checkpoint(*claim, arguments);
  check::Options options;
  options.claims = arguments.proofs;
  options.accept = {"smt", "coq"};
  const check::Outcome outcome = check::check_file(
      std::filesystem::path(arguments.certificates) / (arguments.id + ".json"), options);
  const auto variants =
      report::read_variant_rows(*claim, checkpoint_folder(arguments), arguments.proofs);
  if (arguments.common.json()) {
    print_json(*claim, outcome, variants);
  } else if (!arguments.common.quiet) {
    print_text(*claim, outcome, variants);
  }
  std::set<int> codes = {outcome.exit_code};
  for (const report::VariantRow& row : variants) codes.insert(row.exit_code);
  return check::worst_exit_code(codes);
}

}  // namespace

void add_explain(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "explain", "Explain a claim and its proof, the map of claims, or an error code");
  const auto arguments = std::make_shared<ExplainArguments>();
  command
      .add_option(
          "id", arguments->id,
          "Claim such as tc-1, error code such as SP1402, or map for a table of what forces a sink")
      .required()
      .type_name("ID");
  command.group("Inputs");
  command.add_option("--proofs", arguments->proofs,
                     "Folder of claim folders (default: proofs, else the installed one)");
  command.add_option("--certificates", arguments->certificates,
                     "Folder of certificates (default: certificates, else the installed one)");
  command
      .add_option(
          "--checkpoints", arguments->checkpoints,
          "Folder with the checkpoints of a claim's variants (default: examples/variants, or "
          "the installed one)")
      .existing_folder();
  add_common(command, arguments->common);
  command.example("sinkproof explain tc-1");
  command.example("sinkproof explain SP1402");
  command.callback([arguments, &exit_code] {
    arguments->proofs = folder_or_default(arguments->proofs, "proofs");
    arguments->certificates = folder_or_default(arguments->certificates, "certificates");
    exit_code = run_explain(*arguments);
  });
}

}  // namespace sinkproof::cli
