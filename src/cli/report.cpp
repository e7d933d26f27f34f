#include <fmt/core.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "check/check.hpp"
#include "check/command_line.hpp"
#include "claim/requirement.hpp"
#include "cli/installed.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "gate/thresholds.hpp"
#include "report/input_reading.hpp"
#include "report/page.hpp"
#include "report/proof_links.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  Common common;
  std::vector<std::string> certificates;
  std::string models;
  std::string claims;  // "": ./proofs, else the installed one
  std::string proof_link;
  std::vector<std::string> accept;
  std::uint64_t work = 1;
  std::vector<std::string> require;
  std::string sweep;
  std::string output = "report.html";
};

std::optional<std::string> proof_base(const Arguments& arguments) {
  if (!arguments.proof_link.empty()) return arguments.proof_link;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return std::nullopt;
  return report::relative_proof_base(arguments.output, arguments.claims, here);
}

// The seconds of a table of checkpoints. Measurements, not evidence: what is not of the form is
// left out.
exact::Result<std::map<std::pair<std::string, std::string>, double>> read_seconds(
    const std::string& path) {
  std::map<std::pair<std::string, std::string>, double> seconds;
  if (path.empty()) return seconds;
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto table = json::Value::parse(*bytes, nullptr, false);
  try {
    for (const auto& checkpoint : table.at("checkpoints")) {
      for (const auto& property : checkpoint.at("properties")) {
        auto name = property.at("name").get<std::string>();
        if (property.contains("head")) {
          name += fmt::format(" (layer {}, head {})", property.at("layer").get<int>(),
                              property.at("head").get<int>());
        }
        seconds[{checkpoint.at("sha256"), name}] = property.at("seconds").get<double>();
      }
    }
  } catch (const json::Value::exception&) {
    return exact::fail("SP1906", path, "is no table: `sinkproof merge --format json` prints it");
  }
  return seconds;
}

int run(const Arguments& arguments) {
  auto seconds = read_seconds(arguments.sweep);
  if (!seconds) return report_error(seconds.error());
  std::vector<claim::Requirement> requirements;
  for (const std::string& text : arguments.require) {
    auto requirement = claim::parse_requirement(text, "--require");
    if (!requirement) return report_error(requirement.error());
    requirements.push_back(std::move(*requirement));
  }
  check::Options options;
  options.claims = arguments.claims;
  if (!arguments.models.empty()) options.models = arguments.models;
  options.accept.insert(arguments.accept.begin(), arguments.accept.end());
  options.work = arguments.work;
  std::vector<report::Input> inputs;
  std::set<int> codes;
  for (const std::string& path : arguments.certificates) {
    inputs.push_back(report::read_input(path, options));
    codes.insert(inputs.back().outcome.exit_code);
  }
  auto put = gate::put_thresholds(requirements, inputs);
  if (put) {
    codes.merge(*put);
  } else {
    codes.insert(report_error(put.error()));
  }
  report::Options page_options;
  page_options.accept = arguments.accept;
  page_options.work = arguments.work;
  page_options.seconds = std::move(*seconds);
  page_options.claims = arguments.claims;
  page_options.proof_base = proof_base(arguments);
  const auto page = report::html(inputs, page_options);
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
  check::add_work(command.app(), arguments->work);
  command
      .add_option("--require", arguments->require,
                  "Threshold to put to the checkpoint certificates, such as 'sup-loss<=0.02'")
      .one_value_each();
  command
      .add_option("--sweep", arguments->sweep,
                  "Table of `merge --format json`: its seconds, beside the bounds of several "
                  "checkpoints")
      .type_name("FILE");
  command.add_option("-o,--output", arguments->output, "Page to write").capture_default_str();
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] {
    arguments->claims = folder_or_default(arguments->claims, "proofs");
    exit_code = run(*arguments);
  });
}

}  // namespace sinkproof::cli
