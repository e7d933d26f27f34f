#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "certificate/split.hpp"
#include "check/check.hpp"
#include "check/command_line.hpp"
#include "claim/requirement.hpp"
#include "cli/installed.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "gate/thresholds.hpp"
#include "model/what_is_at.hpp"
#include "npy/npy.hpp"
#include "output/replace.hpp"
#include "prove/process.hpp"
#include "report/attention_section.hpp"
#include "report/estimate_reading.hpp"
#include "report/figures.hpp"
#include "report/input_reading.hpp"
#include "report/language_reading.hpp"
#include "report/page.hpp"
#include "report/proof_links.hpp"
#include "text/printable.hpp"
#include "text/whole.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  Common common;
  std::vector<std::string> certificates;
  std::string models;
  std::string claims;  // "": ./proofs, else the installed one
  std::string proof_link;
  std::vector<std::string> accept;
  check::Limits limits;
  std::vector<std::string> require;
  std::string sweep;
  std::string attention;
  std::string steps;    // "100,200", or "names"; "": no curves
  std::string figures;  // a folder; "": none
  std::string output = "report.html";
};

std::optional<std::string> proof_base(const ReportArguments& arguments) {
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
    return exact::fail("SP1906", path,
                       "is not a table of checkpoints; write one with `sinkproof merge JOURNAL "
                       "--format json > sweep.json`");
  }
  return seconds;
}

void print_json(const std::vector<report::Input>& inputs, const ReportArguments& arguments) {
  json::Value files = json::Value::array();
  for (const report::Input& input : inputs) {
    json::Value thresholds = json::Value::array();
    for (const report::Threshold& threshold : input.thresholds) {
      thresholds.push_back({{"required", threshold.required},
                            {"verdict", threshold.verdict},
                            {"found", threshold.found}});
    }
    files.push_back({{"file", input.path.string()},
                     {"claim", input.outcome.claim},
                     {"verdict", input.outcome.verdict},
                     {"code", input.outcome.code},
                     {"reason", input.outcome.reason},
                     {"thresholds", std::move(thresholds)}});
  }
  const json::Value page = {
      {"schema", 1}, {"output", arguments.output}, {"files", std::move(files)}};
  say_json(page);
}

constexpr std::uint64_t kMostStep = std::uint64_t{1} << 40U;

// The last number in a name: "step-000100" is 100.
std::optional<std::size_t> number_in(const std::string& name) {
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return text::whole_number(std::string_view(name).substr(begin, end + 1 - begin), kMostStep);
}

// The training step of each audit: as it is written, or in its name.
exact::Result<std::vector<std::size_t>> steps_of(const std::string& text,
                                                 const std::vector<report::Input>& inputs) {
  std::vector<const report::Input*> audits;
  for (const report::Input& input : inputs) {
    if (input.estimate) audits.push_back(&input);
  }
  std::vector<std::size_t> steps;
  if (text.empty()) return steps;
  if (text == "names") {
    for (const report::Input* const audit : audits) {
      // Audits of one file are known by the folders they are of, others by their files.
      const auto in_file = std::count_if(audits.begin(), audits.end(), [&](const auto* other) {
        return other->path == audit->path;
      });
      const auto in_name = number_in(audit->path.stem().string());
      const std::string name = audit->label.empty() ? audit->path.stem().string() : audit->label;
      const auto step = in_file == 1 && in_name ? in_name : number_in(name);
      if (!step) {
        return exact::fail("SP1508", "--steps names",
                           "finds no number in the name '" + text::one_line(name, 80) +
                               "'; give the steps themselves, such as --steps 100,200");
      }
      steps.push_back(*step);
    }
  } else {
    for (const std::string_view part : certificate::split(text, ",")) {
      const auto step = text::whole_number(part, kMostStep);
      if (!step) {
        return exact::fail("SP1508", "--steps " + text::one_line(text, 40),
                           "must be 'names' or whole numbers, such as --steps 100,200");
      }
      steps.push_back(*step);
    }
  }
  const bool ascending =
      std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>()) == steps.end();
  if (steps.size() < 2 || steps.size() != audits.size() || !ascending) {
    return exact::fail("SP1508", "--steps",
                       fmt::format("needs an ascending step for each audit of at least two; there "
                                   "are {} audits and the steps {}",
                                   audits.size(), fmt::join(steps, ",")));
  }
  const auto& first = *audits.front()->estimate->estimated;
  for (const report::Input* const audit : audits) {
    const auto& other = *audit->estimate->estimated;
    if (other.position == first.position && other.epsilon == first.epsilon) continue;
    return exact::fail("SP1508", "--steps",
                       "compares audits of one position and epsilon, but " + audit->path.string() +
                           " has others; run audit again with the same");
  }
  return steps;
}

constexpr const char* kConverter = "rsvg-convert";

// Every figure of the page as SVG and, where rsvg-convert is installed, as PDF.
exact::Result<void> write_figures(const std::string& folder, const std::string& page, bool quiet) {
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return exact::fail("SP0203", folder, "cannot be made a folder: " + error.message());
  const auto converter = prove::find_program(kConverter);
  const auto figures = report::figure_documents(page);
  for (const report::FigureDocument& figure : figures) {
    const fs::path svg = fs::path(folder) / (figure.name + ".svg");
    if (auto written = output::replace(svg, figure.svg); !written) return written;
    if (!converter) continue;
    const std::string pdf = figure.name + ".pdf";
    const auto ran = prove::run_program(
        {converter->string(), "--format=pdf", "--output=" + pdf, svg.filename().string()}, folder,
        {});
    if (!ran) return tl::unexpected(ran.error());
    if (!ran->exited || ran->exit_status != 0) {
      return exact::fail("SP0203", (fs::path(folder) / pdf).string(),
                         "was not written by rsvg-convert: " + text::one_line(ran->errors, 200));
    }
  }
  if (quiet) return {};
  say_to(stderr, "{}: {} as SVG{}\n", folder, text::counted(figures.size(), "figure"),
         converter ? " and PDF"
                   : "; for PDF install rsvg-convert (`sudo apt-get install librsvg2-bin`) and run "
                     "this again");
  return {};
}

// None where none is asked for. Errors of the file, of npy::view_float64 and of read_attention.
exact::Result<std::vector<report::HeadAttention>> read_attention(const std::string& path) {
  if (path.empty()) return std::vector<report::HeadAttention>{};
  const auto mapped = file::map(path);
  if (!mapped) return tl::unexpected(mapped.error());
  const auto weights = npy::view_float64(mapped->bytes(), path);
  if (!weights) return tl::unexpected(weights.error());
  return report::read_attention(*weights, path);
}

// Each checked; a language model's takes minutes, and which one it is about is stated meanwhile.
std::vector<report::Input> read_inputs(const ReportArguments& arguments,
                                       const check::Options& options) {
  ProgressLine progress(arguments.common.quiet);
  std::vector<report::Input> inputs;
  const std::size_t count = arguments.certificates.size();
  for (const std::string& path : arguments.certificates) {
    if (auto estimates = report::read_estimates(path)) {
      inputs.insert(inputs.end(), estimates->begin(), estimates->end());
      continue;
    }
    auto reading = std::async(std::launch::async, report::read_input, fs::path(path), options);
    while (reading.wait_for(std::chrono::seconds(1)) != std::future_status::ready) {
      progress.show(
          fmt::format("checking {}, {} of {}", text::printable(path), inputs.size() + 1, count),
          static_cast<double>(inputs.size()) / static_cast<double>(count));
    }
    inputs.push_back(reading.get());
  }
  return inputs;
}

// "2 certificates, 1 estimate (not proved)"
std::string contents_of(const std::vector<report::Input>& inputs) {
  const std::size_t all = inputs.size();
  const auto estimates = static_cast<std::size_t>(
      std::count_if(inputs.begin(), inputs.end(),
                    [](const report::Input& one) { return one.estimate != nullptr; }));
  using text::counted;
  const std::string certificates = all == estimates ? "" : counted(all - estimates, "certificate");
  if (estimates == 0) return certificates;
  return certificates + (certificates.empty() ? "" : ", ") + counted(estimates, "estimate") +
         " (not proved)";
}

// Why the exit code is not 0.
void print_reason(const report::Input& input) {
  const auto& outcome = input.outcome;
  if (outcome.exit_code == 0) return;
  say("{}  {}  {}  {}\n", shown_verdict(outcome.verdict), input.path.string(), outcome.code,
      text::one_line(outcome.reason));
  const auto found = model::what_is_at(input.path, model::Expected::kCertificate);
  if (!found.empty()) say("    A report needs certificates. {}\n", found);
}

int run_report(const ReportArguments& arguments) {
  auto seconds = read_seconds(arguments.sweep);
  if (!seconds) return report_error(seconds.error());
  auto attention = read_attention(arguments.attention);
  if (!attention) return report_error(attention.error());
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
  options.limits = arguments.limits;
  std::vector<report::Input> inputs = read_inputs(arguments, options);
  std::set<int> codes;
  for (const report::Input& input : inputs) codes.insert(input.outcome.exit_code);
  auto put = gate::put_thresholds(requirements, inputs);
  if (put) {
    codes.merge(*put);
  } else {
    codes.insert(report_error(put.error()));
  }
  report::Options page_options;
  page_options.accept = arguments.accept;
  page_options.limits = arguments.limits;
  page_options.seconds = std::move(*seconds);
  page_options.attention = std::move(*attention);
  auto steps = steps_of(arguments.steps, inputs);
  if (!steps) return report_error(steps.error());
  page_options.steps = std::move(*steps);
  page_options.claims = arguments.claims;
  page_options.proof_base = proof_base(arguments);
  const auto page = report::html(inputs, page_options);
  if (!page) return report_error(page.error());
  const auto written = output::replace(arguments.output, *page);
  if (!written) return report_error(written.error());
  if (auto drawn = write_figures(arguments.figures, *page,
                                 arguments.common.quiet || arguments.common.json());
      !drawn) {
    return report_error(drawn.error());
  }
  if (arguments.common.json()) {
    print_json(inputs, arguments);
  } else if (!arguments.common.quiet) {
    say("{}: {}, {} bytes\n", arguments.output, contents_of(inputs), page->size());
    for (const report::Input& input : inputs) {
      print_reason(input);
      for (const report::Threshold& threshold : input.thresholds) {
        say("{}  {}  {}: {}\n", shown_verdict(threshold.verdict), input.path.string(),
            threshold.required, text::one_line(threshold.found));
      }
    }
    const auto said = report::sentences(inputs, page_options);
    for (const std::string& sentence : said.value_or(std::vector<std::string>{})) {
      say("{}\n", text::one_line(sentence));
    }
  }
  return check::worst_exit_code(codes);
}

}  // namespace

void add_report(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("report", "Write one self-contained HTML page from certificates and audits");
  const auto arguments = std::make_shared<ReportArguments>();
  command.group("Inputs");
  command
      .add_option("certificates", arguments->certificates,
                  "Certificates, and outputs of `audit --format json`")
      .required()
      .path(output::Use::kReadsCertificate)
      .type_name("CERT");
  command.add_option("--models", arguments->models, "Folder with the models")
      .path(output::Use::kReads);
  command
      .add_option("--claims", arguments->claims,
                  "Folder with the claim folders (default: proofs, else the installed one)")
      .path(output::Use::kReadsAll);
  command
      .add_option("--proof-link", arguments->proof_link,
                  "Where the page finds the claim folders: a relative path or URL (default: "
                  "--claims, if it lies in this folder)")
      .type_name("BASE")
      .check([](const std::string& base) {
        return report::is_proof_base(base) ? "" : "BASE must be a relative path or an http(s) URL";
      });
  command.group("Checks");
  check::add_accept(command.app(), arguments->accept);
  check::add_limits(command.app(), arguments->limits);
  command.group("Page");
  command
      .add_option("--require", arguments->require,
                  "Threshold to decide for each checkpoint, such as 'sup-loss<=0.02'")
      .one_value_each();
  command
      .add_option("--sweep", arguments->sweep,
                  "Output of `merge --format json`, whose search times the page shows")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--attention", arguments->attention,
                  "Attention to draw, as `audit --save-attention` writes it")
      .path(output::Use::kReads)
      .type_name("FILE.npy");
  command
      .add_option(
          "--steps", arguments->steps,
          "Draw curves over the checkpoints of one training run: a step for each audit, such "
          "as 100,200, or 'names' for the numbers in their names")
      .type_name("STEPS");
  command
      .add_option("--figures", arguments->figures,
                  "Folder to write each figure into as SVG, 8 cm wide, and as PDF (rsvg-convert)")
      .path(output::Use::kWritesFolder)
      .type_name("DIR");
  command.add_option("-o,--output", arguments->output, "Page to write")
      .path(output::Use::kWrites)
      .capture_default_str();
  add_common(command, arguments->common);
  command.example("sinkproof report cert.json --models . -o report.html");
  command.example("sinkproof report audit.json -o report.html");
  command.example("sinkproof report a.json b.json --models models --require 'sup-loss<=0.02'");
  command.callback([arguments, &exit_code] {
    arguments->claims = folder_or_default(arguments->claims, "proofs");
    exit_code = run_report(*arguments);
  });
}

}  // namespace sinkproof::cli
