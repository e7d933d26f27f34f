#include "cli/language_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "claim/verdict.hpp"
#include "cli/installed.hpp"
#include "cli/language_measurement.hpp"
#include "cli/own_names.hpp"
#include "cli/verbs.hpp"
#include "output/replace.hpp"
#include "report/estimate_reading.hpp"
#include "report/input_reading.hpp"
#include "report/page.hpp"
#include "text/printable.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

struct Named {
  std::string folder;
  std::string name;  // of its certificate and its line; unlike any other
};

Result<void> check_inputs(const AuditArguments& arguments) {
  std::error_code none;
  for (const std::string& input : arguments.folders) {
    if (fs::is_directory(input, none)) continue;
    return fail(
        "SP1508", input,
        "is not a folder; to compare several language models, name a Hugging Face folder for each");
  }
  const bool one_file = !arguments.save_attention.empty() || !arguments.save_logits.empty() ||
                        !arguments.save_inputs.empty() || !arguments.csv.empty() ||
                        !arguments.npz.empty() || !arguments.csv_interventions.empty();
  if (one_file) {
    return fail("SP1508",
                "--save-attention, --save-logits, --save-inputs, --csv, --csv-interventions, --npz",
                "write what one model does; name one folder");
  }
  return {};
}

// A line of the table.
struct Line {
  std::string name;
  std::string architecture;
  std::size_t layers = 0;
  std::size_t heads = 0;
  double share = 0;  // estimates
  double value_weighted = 0;
};

Line line_of(const std::string& name, const LanguageMeasurement& measurement) {
  const auto share = [&](const char* figure) {
    return measurement.estimates.summary.share(figure).value();
  };
  const language::Config& config = measurement.model.config;
  return {name,           std::string(config.architecture->model_type),
          config.layers,  config.heads,
          share("alpha"), share("value-alpha")};
}

void print_table(const std::vector<Line>& lines) {
  std::size_t width = 5;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  say("side by side, estimates (float64)\n{:<{}}  {:<12} {:>6} {:>5}  {:>10}  {:>14}\n", "model",
      width, "architecture", "layers", "heads", "sink share", "value-weighted");
  for (const Line& line : lines) {
    say("{:<{}}  {:<12} {:>6} {:>5}  {:>10.4f}  {:>14.4f}\n", line.name, width, line.architecture,
        line.layers, line.heads, line.share, line.value_weighted);
  }
}

class Comparison {
 public:
  explicit Comparison(const AuditArguments& arguments) : arguments_(arguments) {}

  void add(const Named& model) {
    AuditArguments one = arguments_;
    one.folder = model.folder;
    if (!arguments_.output.empty()) {
      one.output = (fs::path(arguments_.output) / (model.name + ".json")).string();
    }
    const auto audit = audit_language(one);
    if (!audit) {
      codes_.push_back(refused(audit.error()));
      return;
    }
    if (!one.output.empty()) certificates_.emplace_back(one.output, model.folder);
    lines_.push_back(line_of(text::printable(model.name), audit->measurement));
    if (arguments_.common.json()) {
      all_.push_back(audit_json(*audit));
      all_.back()["name"] = model.name;
      all_.back()["digest"] = report::estimate_digest(all_.back());
    } else if (!arguments_.common.quiet) {
      say("{}\n", lines_.back().name);
      print_audit(*audit);
      say("\n");
    }
  }

  // report.html, of what the checker accepts.
  Result<void> write_page() {
    if (certificates_.empty()) return {};
    ProgressLine progress(arguments_.common.quiet);
    report::Options options;
    options.claims = folder_or_default(arguments_.claims.value_or(""), "proofs");
    std::vector<report::Input> inputs;
    for (const auto& [certificate, folder] : certificates_) {
      progress.show(fmt::format("checking {}", text::printable(certificate)),
                    static_cast<double>(inputs.size()) / static_cast<double>(certificates_.size()));
      check::Options check;
      check.claims = options.claims;
      check.models = folder;
      inputs.push_back(report::read_input(certificate, check));
      codes_.push_back(inputs.back().outcome.exit_code);
    }
    const auto page = report::html(inputs, options);
    if (!page) return tl::unexpected(page.error());
    return output::replace(fs::path(arguments_.output) / "report.html", *page);
  }

  void print() const {
    if (arguments_.common.json()) {
      const json::Value value = {{"schema", 1}, {"kind", "language-models"}, {"models", all_}};
      say_json(value);
    } else if (!arguments_.common.quiet && !lines_.empty()) {
      print_table(lines_);
    }
  }

  [[nodiscard]] int exit_code() const { return claim::combined_exit_code(codes_); }

 private:
  const AuditArguments& arguments_;
  std::vector<Line> lines_;
  std::vector<std::pair<std::string, std::string>> certificates_;  // and their folders
  json::Value all_ = json::Value::array();
  std::vector<int> codes_ = {kOk};
};

}  // namespace

Result<int> compare_language_models(const AuditArguments& arguments) {
  if (auto fits = check_inputs(arguments); !fits) return tl::unexpected(fits.error());
  if (!arguments.output.empty()) {
    std::error_code error;
    fs::create_directories(arguments.output, error);
    if (error) {
      return fail("SP0203", arguments.output, "cannot be made a folder: " + error.message());
    }
  }
  Comparison comparison(arguments);
  const std::vector<std::string> names = own_names(arguments.folders);
  for (std::size_t m = 0; m < names.size(); ++m) comparison.add({arguments.folders[m], names[m]});
  if (auto written = comparison.write_page(); !written) return tl::unexpected(written.error());
  comparison.print();
  return comparison.exit_code();
}

}  // namespace sinkproof::cli
