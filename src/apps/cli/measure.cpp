#include <filesystem>
#include <memory>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/envelope.hpp"
#include "claim/verdict.hpp"
#include "cli/measure_options.hpp"
#include "cli/measurement_text.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "measure/run.hpp"
#include "output/replace.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using exact::Result;
using measure::Run;

// CERT.json for one certificate; CERT.l0.h1.json, or CERT.l0.json for rows, for several.
std::filesystem::path certificate_path(const std::string& output, const measure::Place& place,
                                       bool several) {
  if (!several) return output;
  const std::filesystem::path path(output);
  std::string name = path.stem().string() + ".l" + std::to_string(place.layer.value_or(0));
  if (place.head) name += ".h" + std::to_string(*place.head);
  return path.parent_path() / (name + path.extension().string());
}

Result<void> write_files(const MeasureArguments& arguments, const Run& run) {
  if (!arguments.request.save_inputs.empty()) {
    auto written = output::replace(arguments.request.save_inputs, run.targets.input->bytes);
    if (!written) return written;
  }
  if (arguments.output.empty()) return {};
  for (const measure::Found& one : run.found) {
    if (one.measurement.certificate.is_null()) continue;
    const auto path = certificate_path(arguments.output, one.target->place, run.found.size() > 1);
    auto written =
        output::replace(path, certificate::certificate_bytes(one.measurement.certificate));
    if (!written) return written;
  }
  return {};
}

constexpr const char* kForwardRows =
    "rows of a forward pass, rounded to the nearest doubles; the statements about these rows are "
    "exact";

json::Value model_json(const measure::Targets& targets) {
  if (!targets.model) return nullptr;
  json::Value model = {{"sha256", targets.model->sha256}};
  if (targets.scale) model["scale"] = exact::to_string(*targets.scale);
  return model;
}

json::Value report_json(const MeasureArguments& arguments, const Run& run) {
  json::Value measurements = json::Value::array();
  for (const measure::Found& one : run.found) {
    json::Value entry = measurement_json(one.target->place, one.measurement);
    entry["tensor"] = one.target->subject.tokens.tensor;
    entry["certificate"] = nullptr;
    if (!arguments.output.empty() && !one.measurement.certificate.is_null()) {
      entry["certificate"] =
          certificate_path(arguments.output, one.target->place, run.found.size() > 1).string();
    }
    measurements.push_back(std::move(entry));
  }
  json::Value cosines = json::Value::array();
  for (const auto& similarity : run.targets.layers) cosines.push_back(cosine_json(similarity));
  return {{"schema", 1},
          {"semantics", "real"},
          {"input", {{"sha256", run.targets.input->sha256}}},
          {"model", model_json(run.targets)},
          {"rows", arguments.request.forward() ? kForwardRows : "stored"},
          {"length", run.targets.length},
          {"average_cosine", std::move(cosines)},
          {"measurements", std::move(measurements)}};
}

void print_text(const MeasureArguments& arguments, const Run& run) {
  const auto& rows = run.targets.list.front().subject.tokens.rows;
  say("{} of width {} in sequences of {}, semantics real\n", text::counted(rows.rows(), "row"),
      rows.columns(), run.targets.length);
  if (arguments.request.forward()) {
    say("{}, {}\n", certificate::scale_text(*run.targets.scale), kForwardRows);
  }
  for (std::size_t l = 0; l < run.targets.layers.size(); ++l) {
    const bool output = arguments.request.forward() && l + 1 == run.targets.layers.size();
    const std::string what = !arguments.request.forward() ? "rows"
                             : output                     ? "the stack's outputs"
                                                          : "inputs of layer " + std::to_string(l);
    say("average cosine of {}: {} over {} pairs\n", what,
        enclosure_text(run.targets.layers[l].mean), run.targets.layers[l].pairs);
  }
  for (const measure::Found& one : run.found) print_measurement(one.target->place, one.measurement);
}

int exit_code_of(const Run& run) {
  std::vector<int> codes;
  for (const measure::Found& one : run.found) {
    for (const measure::PatternAnswer& answer : one.measurement.patterns) {
      if (!answer.found) codes.push_back(kUnknown);
      if (answer.found && !answer.found->representable) codes.push_back(kRefuted);
    }
  }
  return claim::combined_exit_code(codes);
}

Result<Run> measured(const MeasureArguments& arguments) {
  const auto hash = accept::claim_text_hash("vectors", arguments.claims, arguments.output);
  if (!hash) return tl::unexpected(hash.error());
  ProgressLine line(arguments.common.quiet);
  return measure::run(arguments.request, *hash, accept::ask_about_vectors,
                      [&](const std::string& doing, double share) { line.show(doing, share); });
}

Result<int> measure_and_print(const MeasureArguments& arguments) {
  std::error_code none;
  if (std::filesystem::is_directory(arguments.request.file, none)) {
    return exact::fail("SP1508", arguments.request.file, "is a folder; name a safetensors file");
  }
  if (auto fits = check_combination(arguments); !fits) return tl::unexpected(fits.error());
  const auto run = measured(arguments);
  if (!run) return tl::unexpected(run.error());
  if (auto written = write_files(arguments, *run); !written) {
    return tl::unexpected(written.error());
  }
  if (arguments.common.json()) {
    say_json(report_json(arguments, *run));
  } else if (!arguments.common.quiet) {
    print_text(arguments, *run);
  }
  return exit_code_of(*run);
}

int run_measure(const MeasureArguments& arguments) {
  const auto done = measure_and_print(arguments);
  return done ? *done : refused(done.error());
}

}  // namespace

void add_measure(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "measure",
      "Measure given vectors, or a head's values at them, exactly: hull distance, switch, "
      "smoothing, representability");
  const auto arguments = std::make_shared<MeasureArguments>();
  add_measure_options(command, *arguments);
  add_common(command, arguments->common);
  command.example("sinkproof measure embeddings.safetensors --property half-space");
  command.example(
      "sinkproof measure model.safetensors --random 8 --save-inputs rows.safetensors -o head.json");
  command.callback([arguments, &exit_code] { exit_code = run_measure(*arguments); });
}

}  // namespace sinkproof::cli
