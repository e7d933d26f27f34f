#include "report/report.hpp"

#include <fmt/core.h>

#include <memory>
#include <set>

#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"
#include "check/check.hpp"
#include "check/command_line.hpp"
#include "claim/requirement.hpp"
#include "cli/claims_folder.hpp"
#include "cli/installed.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "gate/checkpoint_proof.hpp"
#include "report/proof_links.hpp"
#include "report/status.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kDigits = 10;

struct Arguments {
  Common common;
  std::vector<std::string> certificates;
  std::string models;
  std::string claims;  // "": ./proofs, else the installed one
  std::string proof_link;
  std::vector<std::string> accept;
  std::vector<std::string> require;
  std::string output = "report.html";
};

// The file with this SHA-256 among the folder's checkpoints, in the order of their names.
std::optional<fs::path> model_in(const fs::path& folder, const std::string& sha256) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".safetensors") files.insert(entry->path());
  }
  for (const fs::path& path : files) {
    const auto hash = certificate::sha256_hex_of_file(path);
    if (hash && sha256 == *hash) return path;
  }
  return std::nullopt;
}

// The file with the certificate's model or vectors, in --models if that was given, or beside the
// certificate.
std::optional<fs::path> model_path(const json::Value& certificate, const fs::path& beside,
                                   const std::string& models) {
  if (!certificate.is_object()) return std::nullopt;
  const char* key = certificate.contains("input") ? "input" : "model";
  if (!certificate.contains(key)) return std::nullopt;
  const auto sha256 = certificate::string_field(certificate[key], "sha256", key);
  if (!sha256) return std::nullopt;
  if (!models.empty()) {
    if (auto found = model_in(models, *sha256)) return found;
  }
  return model_in(beside.has_parent_path() ? beside.parent_path() : fs::path("."), *sha256);
}

std::string enclosures(const std::vector<gate::RequirementProof>& parts) {
  std::string text;
  for (const gate::RequirementProof& part : parts) {
    text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ", part.requirement.property,
                        exact::decimal_down(part.lower, kDigits),
                        exact::decimal_up(part.upper, kDigits));
  }
  return text;
}

// What an accepted checkpoint certificate decides of a threshold; nothing when it does not state
// the property.
exact::Result<std::optional<report::Threshold>> decided(const claim::Requirement& requirement,
                                                        const json::Value& certificate) {
  const auto bounds = gate::certified_bounds(certificate);
  if (!bounds) return tl::unexpected(bounds.error());
  std::vector<std::string> stated;
  for (const gate::CertifiedBounds& one : *bounds) stated.push_back(one.property);
  const auto length = certificate.at("length").get<std::size_t>();
  const auto parts = gate::decide_requirements({requirement}, stated, length, *bounds, "--require");
  if (parts) {
    const std::string verdict = claim::to_string(gate::verdict_of(*parts));
    return report::Threshold{requirement.text, verdict, enclosures(*parts)};
  }
  if (parts.error().code == "SP1302") return std::nullopt;
  return report::Threshold{requirement.text, claim::to_string(claim::Verdict::kUnknown),
                           "the certificate does not state it at all rows"};
}

// Puts the thresholds to every accepted checkpoint certificate; the exit codes of their verdicts.
// SP1206: one was put to none.
exact::Result<std::set<int>> put_thresholds(const std::vector<claim::Requirement>& requirements,
                                            std::vector<report::Input>& inputs) {
  std::set<int> codes;
  for (const claim::Requirement& requirement : requirements) {
    bool is_put = false;
    for (report::Input& input : inputs) {
      const bool accepted = report::shows_bounds(report::status_of(input.outcome));
      if (!accepted || report::kind_of(input) != "checkpoint") continue;
      auto threshold = decided(requirement, input.certificate);
      if (!threshold) return tl::unexpected(threshold.error());
      if (!*threshold) continue;
      is_put = true;
      codes.insert((*threshold)->verdict == "proved"    ? kOk
                   : (*threshold)->verdict == "refuted" ? kRefuted
                                                        : kUnknown);
      input.thresholds.push_back(std::move(**threshold));
    }
    if (!is_put) {
      return exact::fail("SP1206", "--require \"" + requirement.text + "\"",
                         "no accepted checkpoint certificate on the page states such a property");
    }
  }
  return codes;
}

report::Input read_input(const std::string& path, const Arguments& arguments) {
  check::Options options;
  if (!arguments.models.empty()) options.models = arguments.models;
  auto envelope = certificate::read_envelope(path);
  const bool theory = !envelope || envelope->kind == certificate::Kind::kTheory;
  options.claims = arguments.claims;
  if (!theory) options.claims = claims_folder(arguments.claims, envelope->claim);
  options.accept.insert(arguments.accept.begin(), arguments.accept.end());
  const check::Outcome outcome = check::check_file(path, options);
  report::Input input;
  input.path = path;
  input.outcome.verdict = outcome.verdict;
  input.outcome.evidence = outcome.evidence;
  input.outcome.exit_code = outcome.exit_code;
  input.outcome.overrides = outcome.overrides;
  if (!outcome.reason.empty()) input.outcome.reasons.push_back(outcome.reason);
  if (envelope) {
    input.certificate = std::move(envelope->value);
    input.model = model_path(input.certificate, path, arguments.models);
  }
  return input;
}

std::optional<std::string> proof_base(const Arguments& arguments) {
  if (!arguments.proof_link.empty()) return arguments.proof_link;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return std::nullopt;
  return report::relative_proof_base(arguments.output, arguments.claims, here);
}

int run(const Arguments& arguments) {
  std::vector<claim::Requirement> requirements;
  for (const std::string& text : arguments.require) {
    auto requirement = claim::parse_requirement(text, "--require");
    if (!requirement) return report_error(requirement.error());
    requirements.push_back(std::move(*requirement));
  }
  std::vector<report::Input> inputs;
  std::set<int> codes;
  for (const std::string& path : arguments.certificates) {
    inputs.push_back(read_input(path, arguments));
    codes.insert(inputs.back().outcome.exit_code);
  }
  auto put = put_thresholds(requirements, inputs);
  if (put) {
    codes.merge(*put);
  } else {
    codes.insert(report_error(put.error()));
  }
  report::Options options;
  options.accept = arguments.accept;
  options.claims = arguments.claims;
  options.proof_base = proof_base(arguments);
  const auto page = report::html(inputs, options);
  if (!page) return report_error(page.error());
  const auto written = file::replace(arguments.output, *page);
  if (!written) return report_error(written.error());
  if (!arguments.common.quiet) {
    fmt::print("{}: {} certificates, {} bytes\n", arguments.output, inputs.size(), page->size());
  }
  return check::worst_exit_code(codes);
}

}  // namespace

void add_report(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("report", "One self-contained HTML page from certificates");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("certificates", arguments->certificates, "Certificates to show")
      .required()
      .type_name("CERT");
  command.add_option("--models", arguments->models, "Folder with the models");
  command.add_option("--claims", arguments->claims,
                     "Folder with the claim folders (default: proofs, else the installed one)");
  command
      .add_option("--proof-link", arguments->proof_link,
                  "Where the page finds the claim folders: a relative path or an http(s) URL "
                  "(default: the way from the page to --claims, when both lie in this folder)")
      .type_name("BASE")
      .check([](const std::string& base) {
        return report::is_proof_base(base) ? "" : "BASE must be a relative path or an http(s) URL";
      });
  check::add_accept(command.app(), arguments->accept);
  command
      .add_option("--require", arguments->require,
                  "Threshold to put to the checkpoint certificates, such as 'sup-loss<=0.02'")
      .one_value_each();
  command.add_option("-o,--output", arguments->output, "Page to write").capture_default_str();
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] {
    arguments->claims = folder_or_default(arguments->claims, "proofs");
    exit_code = run(*arguments);
  });
}

}  // namespace sinkproof::cli
