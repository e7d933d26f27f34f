#include "measure/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "check/find.hpp"
#include "claim/refusal.hpp"
#include "cli/measurement_text.hpp"
#include "cli/pattern_options.hpp"
#include "cli/sink_share.hpp"
#include "cli/token_source.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "measure/forward.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::cli {
namespace {

using exact::fail;
using exact::Result;

struct Arguments {
  Common common;
  std::string file;
  std::optional<std::string> tensor;
  std::string model;
  std::optional<std::size_t> layer;
  std::optional<std::size_t> head;
  std::optional<std::size_t> heads;
  std::string beta;
  std::string tokens;
  std::size_t random = 0;
  std::uint64_t seed = 0;
  std::size_t length = 0;
  std::string attention;
  std::vector<std::string> properties;
  std::optional<std::size_t> anchor;
  std::optional<std::vector<std::size_t>> vectors;
  PatternOptions pattern;
  std::string output;
  std::string save_inputs;
  std::string claims;
  std::string epsilon;
  std::optional<std::size_t> position;

  // The file is a model that is run forward, not a file of rows.
  [[nodiscard]] bool forward() const { return random != 0 || !tokens.empty(); }
  [[nodiscard]] TokenSource source() const { return {tokens, tensor, random, seed, length}; }
};

constexpr const char* kSinkShare = "sink-share";  // of the model as a whole, not of vectors

bool asks_for_sink_share(const Arguments& arguments) {
  return std::find(arguments.properties.begin(), arguments.properties.end(), kSinkShare) !=
         arguments.properties.end();
}

struct Target {
  MeasuredPlace place;
  std::vector<measure::Kind> kinds;
  measure::Subject subject;
};

// The files stay where they are while subjects point to them.
struct Targets {
  std::unique_ptr<measure::NamedFile> input;
  std::unique_ptr<measure::NamedFile> model;
  std::vector<Target> list;
  exact::Rational beta;
  std::size_t length = 0;
  std::vector<measure::CosineSimilarity> layers;  // inputs of each layer, then outputs
};

struct Found {
  const Target* target;
  measure::Measurement measurement;
};

Result<std::unique_ptr<measure::NamedFile>> open(const std::string& path) {
  auto file = measure::read_file(path);
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<measure::NamedFile>(std::move(*file));
}

bool names(const Arguments& arguments, measure::Kind kind) {
  return std::find(arguments.properties.begin(), arguments.properties.end(), to_string(kind)) !=
         arguments.properties.end();
}

Result<void> check_pattern_options(const Arguments& arguments) {
  if (arguments.pattern.any() && !names(arguments, measure::Kind::kRepresentable)) {
    return fail("SP1508", "--pattern, --roles, --constraints, --margin",
                "belong to --property representable");
  }
  const bool roles_are_named = !arguments.pattern.roles.empty();
  if (roles_are_named && (arguments.anchor || arguments.vectors)) {
    return fail("SP1508", "--roles",
                "says itself which row is BOS and which rows are meant: leave "
                "--anchor and --vectors out");
  }
  return {};
}

Result<void> check_sink_share(const Arguments& arguments) {
  if (!asks_for_sink_share(arguments)) {
    if (arguments.epsilon.empty() && !arguments.position) return {};
    return fail("SP1508", "--epsilon, --position", "belong to --property sink-share");
  }
  if (arguments.properties.size() > 1) {
    return fail("SP1508", "--property sink-share", "is asked for alone");
  }
  if (!arguments.forward()) {
    return fail("SP1507", "--property sink-share",
                "speaks of a model on sequences: say --random N or --tokens FILE");
  }
  if (!arguments.output.empty()) {
    return fail("SP1508", "-o", "the sink share is enclosed without a certificate");
  }
  const bool of_vectors = arguments.layer || arguments.head || arguments.anchor ||
                          arguments.vectors || arguments.pattern.any() || !arguments.beta.empty() ||
                          !arguments.save_inputs.empty();
  if (of_vectors) {
    return fail("SP1508",
                "--layer, --head, --anchor, --vectors, --beta, --save-inputs and pattern options",
                "belong to other properties: the sink share is of all layers and heads");
  }
  return {};
}

Result<void> check_combination(const Arguments& arguments) {
  if (auto fits = check_sink_share(arguments); !fits) return fits;
  if (arguments.random != 0 && !arguments.tokens.empty()) {
    return fail("SP1508", "--tokens", "not together with --random: both say what the model reads");
  }
  if (arguments.forward() && !arguments.model.empty()) {
    return fail("SP1508", "--model",
                "with --tokens or --random the first file is the model; name only one");
  }
  if (!arguments.forward() && !arguments.save_inputs.empty()) {
    return fail("SP1508", "--save-inputs", "needs --tokens or --random: there is no forward pass");
  }
  if (arguments.forward() && !arguments.output.empty() && arguments.save_inputs.empty()) {
    return fail("SP1508", "-o",
                "a certificate is about stored rows; store them with --save-inputs FILE");
  }
  const bool names_head = arguments.layer || arguments.head || arguments.heads;
  if (!arguments.forward() && arguments.model.empty() && names_head) {
    return fail("SP1508", "--layer, --head, --heads", "need --model, which holds the head");
  }
  return check_pattern_options(arguments);
}

Result<std::vector<measure::Kind>> chosen_kinds(const Arguments& arguments) {
  std::vector<measure::Kind> kinds;
  for (const measure::Kind kind : measure::kKinds) {
    const bool named = names(arguments, kind);
    const bool on_demand = kind == measure::Kind::kRepresentable;  // it can refute
    if (!named && (on_demand || !arguments.properties.empty())) continue;
    const bool may = arguments.forward() || applies(kind, !arguments.model.empty());
    if (may) kinds.push_back(kind);
    if (!may && named) {
      return fail("SP1507", "--property " + to_string(kind),
                  applies(kind, false)
                      ? "speaks of rows as queries: leave --model out"
                      : "speaks of a head: name the file that holds it with --model");
    }
  }
  return kinds;
}

std::optional<std::string> metadata(const measure::NamedFile& file, const std::string& key) {
  const auto found = file.contents.metadata.find(key);
  if (found == file.contents.metadata.end()) return std::nullopt;
  return found->second;
}

Result<exact::Rational> residual_coefficient(const Arguments& arguments,
                                             const std::optional<bool>& residual, bool needed) {
  if (!arguments.beta.empty()) {
    auto beta = exact::parse_rational(arguments.beta);
    if (!beta) beta = exact::parse_decimal(arguments.beta);
    if (beta) return *beta;
    return fail("SP1509", "--beta " + arguments.beta.substr(0, 40),
                "must be a rational such as 1/2 or a decimal");
  }
  if (!residual && needed) {
    return fail("SP1507", "--beta",
                "smoothing needs the residual coefficient: the model's metadata has no residual");
  }
  return exact::Rational(residual.value_or(false) ? 1 : 0);
}

bool asks(const std::vector<measure::Kind>& kinds, measure::Kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// One target for each head of a layer that was asked for.
Result<void> add_heads(const Arguments& arguments, const std::vector<measure::Kind>& kinds,
                       std::size_t layer, std::size_t heads, const measure::Tokens& tokens,
                       Targets& targets) {
  const std::size_t first = arguments.head.value_or(0);
  const std::size_t last = arguments.head ? first + 1 : heads;
  for (std::size_t head = first; head < last; ++head) {
    auto read = measure::read_head(*targets.model, {layer, heads, head});
    if (!read) return tl::unexpected(read.error());
    targets.list.push_back(
        {{layer, head},
         kinds,
         {targets.input.get(), tokens, targets.length, targets.model.get(), std::move(*read)}});
  }
  return {};
}

Result<std::size_t> heads_of(const Arguments& arguments, const measure::NamedFile& model) {
  if (arguments.heads) return *arguments.heads;
  const auto text = metadata(model, "num_heads");
  if (!text) return 1;
  for (std::size_t heads = 1; heads <= measure::kMaxHeads; ++heads) {
    if (*text == std::to_string(heads)) return heads;
  }
  return fail("SP1102", model.path + ": metadata num_heads",
              "is not a whole number from 1 to 1024");
}

Result<void> add_model(const Arguments& arguments, const std::vector<measure::Kind>& kinds,
                       const measure::Tokens& tokens, Targets& targets) {
  auto model = open(arguments.model);
  if (!model) return tl::unexpected(model.error());
  targets.model = std::move(*model);
  if (!arguments.layer && measure::layer_prefix(*targets.model, 1)) {
    return fail("SP1507", "--layer", "the model has several layers; say which reads these rows");
  }
  std::optional<bool> residual;
  if (const auto text = metadata(*targets.model, "residual")) residual = *text == "true";
  auto beta = residual_coefficient(arguments, residual, asks(kinds, measure::Kind::kSmoothing));
  if (!beta) return tl::unexpected(beta.error());
  targets.beta = *beta;
  const auto heads = heads_of(arguments, *targets.model);
  if (!heads) return tl::unexpected(heads.error());
  return add_heads(arguments, kinds, arguments.layer.value_or(0), *heads, tokens, targets);
}

// Rows of a file, alone or read by the heads of a layer.
Result<Targets> stored_targets(const Arguments& arguments,
                               const std::vector<measure::Kind>& kinds) {
  Targets targets;
  auto input = open(arguments.file);
  if (!input) return tl::unexpected(input.error());
  targets.input = std::move(*input);
  const auto tokens = measure::read_tokens(*targets.input, arguments.tensor);
  if (!tokens) return tl::unexpected(tokens.error());
  const std::size_t rows = tokens->rows.rows();
  targets.length = arguments.length == 0 ? rows : arguments.length;
  if (targets.length > rows || rows % targets.length != 0) {
    return fail("SP1509", "--length " + std::to_string(targets.length),
                "must divide the " + std::to_string(rows) + " rows");
  }
  targets.layers = {measure::average_cosine(tokens->rows, targets.length)};
  if (arguments.model.empty()) {
    targets.list.push_back(
        {{}, kinds, {targets.input.get(), *tokens, targets.length, nullptr, {}}});
    return targets;
  }
  if (auto added = add_model(arguments, kinds, *tokens, targets); !added) {
    return tl::unexpected(added.error());
  }
  return targets;
}

std::map<std::string, std::string> provenance(const Arguments& arguments,
                                              const model::AttentionModel& model,
                                              std::size_t length) {
  std::map<std::string, std::string> words = {
      {"rows", "float64 forward pass, an estimate of the model's own"},
      {"model", model.sha256},
      {"length", std::to_string(length)}};
  if (arguments.random != 0) {
    words["generator"] = kRandomGenerator;
    words["seed"] = std::to_string(arguments.seed);
    words["sequences"] = std::to_string(arguments.random);
  }
  return words;
}

Result<std::unique_ptr<measure::NamedFile>> run_forward(const Arguments& arguments,
                                                        const model::AttentionModel& model,
                                                        std::size_t& length) {
  const auto tokens = read_token_rows(arguments.source(), model, measure::kMaxTokens);
  if (!tokens) return tl::unexpected(tokens.error());
  length = tokens->length;
  const std::string path =
      arguments.save_inputs.empty() ? "the forward pass" : arguments.save_inputs;
  auto input = measure::stack_inputs(model, measure::to_doubles(tokens->rows), length,
                                     provenance(arguments, model, length), path);
  if (!input) return tl::unexpected(input.error());
  return std::make_unique<measure::NamedFile>(std::move(*input));
}

// The inputs of one layer, as rows and as read by its heads.
Result<void> add_layer(const Arguments& arguments, const model::AttentionModel& model,
                       const std::vector<measure::Kind>& kinds, std::size_t layer,
                       Targets& targets) {
  const auto tokens =
      measure::read_tokens(*targets.input, "layers." + std::to_string(layer) + ".input");
  if (!tokens) return tl::unexpected(tokens.error());
  targets.layers.push_back(measure::average_cosine(tokens->rows, targets.length));
  if (arguments.layer && *arguments.layer != layer) return {};
  std::vector<measure::Kind> of_rows;
  for (const measure::Kind kind : kinds) {
    if (!applies(kind, true)) of_rows.push_back(kind);
  }
  if (!of_rows.empty()) {
    targets.list.push_back({{layer, std::nullopt},
                            of_rows,
                            {targets.input.get(), *tokens, targets.length, nullptr, {}}});
  }
  if (of_rows.size() == kinds.size()) return {};
  return add_heads(arguments, kinds, layer, model.num_heads, *tokens, targets);
}

Result<model::AttentionModel> load_model(const Arguments& arguments) {
  model::Overrides overrides;
  if (arguments.length != 0) overrides.length = arguments.length;
  if (!arguments.attention.empty()) overrides.attention = arguments.attention;
  overrides.num_heads = arguments.heads;
  return model::load(arguments.file, overrides);
}

// A model run forward: its layers' inputs.
Result<Targets> forward_targets(const Arguments& arguments,
                                const std::vector<measure::Kind>& kinds) {
  const auto model = load_model(arguments);
  if (!model) return tl::unexpected(model.error());
  if (arguments.layer && *arguments.layer >= model->layers.size()) {
    return fail("SP1504", arguments.file,
                "no layer " + std::to_string(*arguments.layer) + " of " +
                    std::to_string(model->layers.size()));
  }
  Targets targets;
  auto beta = residual_coefficient(arguments, model->residual, false);
  if (!beta) return tl::unexpected(beta.error());
  targets.beta = *beta;
  auto file = open(arguments.file);
  if (!file) return tl::unexpected(file.error());
  targets.model = std::move(*file);
  auto input = run_forward(arguments, *model, targets.length);
  if (!input) return tl::unexpected(input.error());
  targets.input = std::move(*input);
  for (std::size_t layer = 0; layer < model->layers.size(); ++layer) {
    if (auto added = add_layer(arguments, *model, kinds, layer, targets); !added) {
      return tl::unexpected(added.error());
    }
  }
  const auto outputs = measure::read_tokens(*targets.input, "output");
  if (!outputs) return tl::unexpected(outputs.error());
  targets.layers.push_back(measure::average_cosine(outputs->rows, targets.length));
  return targets;
}

// No bound leaves this program that the trusted checker has not accepted.
Result<void> have_checked(const json::Value& certificate, const Targets& targets) {
  std::vector<std::string> files = {targets.input->bytes};
  if (targets.model) files.push_back(targets.model->bytes);
  const check::Outcome outcome = check::check_vectors(certificate, files);
  if (outcome.exit_code == kOk) return {};
  return tl::unexpected(claim::refusal("measure", {outcome.code, "", outcome.reason}));
}

// What --property representable asks of the rows. All targets have as many rows.
Result<measure::PatternDemand> demanded(const Arguments& arguments, const Targets& targets) {
  const std::size_t count = targets.list.front().subject.tokens.rows.rows();
  const auto margin = margin_of(arguments.pattern);
  if (!margin) return tl::unexpected(margin.error());
  measure::PatternDemand demand;
  demand.margin = *margin;
  demand.kinds = kinds_of(arguments.pattern, demand.kinds);
  if (!arguments.anchor && !arguments.vectors) {
    auto roles = roles_of(arguments.pattern, *targets.input, count);
    if (!roles) return tl::unexpected(roles.error());
    demand.roles = std::move(*roles);
  }
  auto constraints = constraints_of(arguments.pattern, count, *margin);
  if (!constraints) return tl::unexpected(constraints.error());
  demand.constraints = std::move(*constraints);
  return demand;
}

Result<std::vector<Found>> measure_all(const Arguments& arguments, const Targets& targets,
                                       const std::string& claim_hash) {
  measure::Request request{{}, arguments.anchor, arguments.vectors, targets.beta, {}};
  if (names(arguments, measure::Kind::kRepresentable)) {
    auto demand = demanded(arguments, targets);
    if (!demand) return tl::unexpected(demand.error());
    request.demand = std::move(*demand);
  }
  ProgressLine line(arguments.common.quiet);
  std::vector<Found> found;
  for (const Target& target : targets.list) {
    line.show("measuring " + target.place.text(),
              static_cast<double>(found.size()) / static_cast<double>(targets.list.size()));
    request.kinds = target.kinds;
    auto measurement = measure::measure(target.subject, request, claim_hash);
    if (!measurement) return tl::unexpected(measurement.error());
    const bool decided = !measurement->certificate.is_null();
    if (!decided && measurement->patterns.empty()) continue;
    if (decided) {
      if (auto accepted = have_checked(measurement->certificate, targets); !accepted) {
        return tl::unexpected(accepted.error());
      }
    }
    found.push_back({&target, std::move(*measurement)});
  }
  return found;
}

// CERT.json for one certificate; CERT.l0.h1.json, or CERT.l0.json for rows, for several.
std::filesystem::path certificate_path(const std::string& output, const MeasuredPlace& place,
                                       bool several) {
  if (!several) return output;
  const std::filesystem::path path(output);
  std::string name = path.stem().string() + ".l" + std::to_string(place.layer.value_or(0));
  if (place.head) name += ".h" + std::to_string(*place.head);
  return path.parent_path() / (name + path.extension().string());
}

Result<void> write_files(const Arguments& arguments, const Targets& targets,
                         const std::vector<Found>& found) {
  if (!arguments.save_inputs.empty()) {
    const auto written = file::replace(arguments.save_inputs, targets.input->bytes);
    if (!written) return written;
  }
  if (arguments.output.empty()) return {};
  for (const Found& one : found) {
    if (one.measurement.certificate.is_null()) continue;
    const auto path = certificate_path(arguments.output, one.target->place, found.size() > 1);
    const auto written =
        file::replace(path, certificate::certificate_bytes(one.measurement.certificate));
    if (!written) return written;
  }
  return {};
}

constexpr const char* kForwardRows =
    "rows computed by a float64 forward pass, an estimate of the model's own; the statements about "
    "these rows are exact";

json::Value report_json(const Arguments& arguments, const Targets& targets,
                        const std::vector<Found>& found) {
  json::Value measurements = json::Value::array();
  for (const Found& one : found) {
    json::Value entry = measurement_json(one.target->place, one.measurement);
    entry["tensor"] = one.target->subject.tokens.tensor;
    entry["certificate"] = nullptr;
    if (!arguments.output.empty() && !one.measurement.certificate.is_null()) {
      entry["certificate"] =
          certificate_path(arguments.output, one.target->place, found.size() > 1).string();
    }
    measurements.push_back(std::move(entry));
  }
  json::Value cosines = json::Value::array();
  for (const auto& similarity : targets.layers) cosines.push_back(cosine_json(similarity));
  return {{"schema", 1},
          {"semantics", "real"},
          {"input", {{"sha256", targets.input->sha256}}},
          {"model",
           targets.model ? json::Value{{"sha256", targets.model->sha256}} : json::Value(nullptr)},
          {"rows", arguments.forward() ? kForwardRows : "stored"},
          {"length", targets.length},
          {"average_cosine", std::move(cosines)},
          {"measurements", std::move(measurements)}};
}

void print_text(const Arguments& arguments, const Targets& targets,
                const std::vector<Found>& found) {
  const auto& rows = targets.list.front().subject.tokens.rows;
  fmt::print("{} rows of {} numbers in sequences of {}, semantics real\n", rows.rows(),
             rows.columns(), targets.length);
  if (arguments.forward()) fmt::print("{}\n", kForwardRows);
  for (std::size_t l = 0; l < targets.layers.size(); ++l) {
    const bool output = arguments.forward() && l + 1 == targets.layers.size();
    const std::string what = !arguments.forward() ? "rows"
                             : output             ? "the stack's outputs"
                                                  : "inputs of layer " + std::to_string(l);
    fmt::print("average cosine of {}: {} over {} pairs\n", what,
               enclosure_text(targets.layers[l].mean), targets.layers[l].pairs);
  }
  for (const Found& one : found) print_measurement(one.target->place, one.measurement);
}

int exit_code_of(const std::vector<Found>& found) {
  std::set<int> codes = {kOk};
  for (const Found& one : found) {
    for (const measure::PatternAnswer& answer : one.measurement.patterns) {
      if (!answer.found) codes.insert(kUnknown);
      if (answer.found && !answer.found->representable) codes.insert(kRefuted);
    }
  }
  return check::worst_exit_code(codes);
}

Result<int> run_sink_share(const Arguments& arguments) {
  auto model = load_model(arguments);
  if (!model) return tl::unexpected(model.error());
  const std::string epsilon = arguments.epsilon.empty() ? "0.3" : arguments.epsilon;
  const auto printed = print_sink_share(
      {std::move(*model), arguments.source(), epsilon, arguments.position.value_or(1)},
      arguments.common);
  if (!printed) return tl::unexpected(printed.error());
  return kOk;
}

Result<int> run_measure(const Arguments& arguments) {
  if (auto fits = check_combination(arguments); !fits) return tl::unexpected(fits.error());
  if (asks_for_sink_share(arguments)) return run_sink_share(arguments);
  const auto kinds = chosen_kinds(arguments);
  if (!kinds) return tl::unexpected(kinds.error());
  const auto claims = arguments.claims.empty()
                          ? std::nullopt
                          : std::optional<std::filesystem::path>(arguments.claims);
  const auto folder = check::find_claim("vectors", claims, arguments.output);
  if (!folder) return tl::unexpected(folder.error());
  const auto hash = certificate::claim_hash(*folder);
  if (!hash) return tl::unexpected(hash.error());
  const auto targets =
      arguments.forward() ? forward_targets(arguments, *kinds) : stored_targets(arguments, *kinds);
  if (!targets) return tl::unexpected(targets.error());
  const auto found = measure_all(arguments, *targets, *hash);
  if (!found) return tl::unexpected(found.error());
  if (auto written = write_files(arguments, *targets, *found); !written) {
    return tl::unexpected(written.error());
  }
  if (arguments.common.json()) {
    std::cout << report_json(arguments, *targets, *found).dump(2) << '\n';
  } else if (!arguments.common.quiet) {
    print_text(arguments, *targets, *found);
  }
  return exit_code_of(*found);
}

int run(const Arguments& arguments) {
  const auto done = run_measure(arguments);
  if (done) return *done;
  report_error(done.error());
  return claim::exit_code_of(done.error());
}

void add_what_is_read(const Command& command, Arguments& arguments) {
  command
      .add_option("file", arguments.file,
                  "Rows to measure; with --tokens or --random the model that is run forward")
      .required()
      .type_name("FILE.safetensors");
  command.add_option("--tensor", arguments.tensor,
                     "Tensor [T, d] with the rows (default: the file's only matrix)");
  command.add_option("--model", arguments.model,
                     "File with the head that reads the rows: W_V.weight, W_O.weight, W_V.bias");
  command.add_option("--tokens", arguments.tokens,
                     "Run the model on the rows of this file's tensor");
  command
      .add_option("--random", arguments.random,
                  "Run the model on this many random sequences of the trigger task")
      .between(1, 1024);
  command.add_option("--seed", arguments.seed, "Of --random").capture_default_str();
  command
      .add_option("--length", arguments.length,
                  "Rows per sequence (default: the model's length with --random, else all rows)")
      .between(1, 1024);
  command.add_option("--layer", arguments.layer, "Layer, from 0 (default: all, or the only one)");
  command.add_option("--head", arguments.head, "Head, from 0 (default: all)");
  command.add_option("--heads", arguments.heads,
                     "Number of heads, against the metadata (default: its num_heads, else 1)");
  command.add_option("--beta", arguments.beta,
                     "Residual coefficient of smoothing (default: 1 or 0, as the metadata says)");
  command.add_option("--attention", arguments.attention,
                     "Kind of attention of a model run forward, against the metadata");
}

std::vector<std::string> property_names() {
  std::vector<std::string> names;
  for (const measure::Kind kind : measure::kKinds) names.push_back(to_string(kind));
  names.emplace_back(kSinkShare);
  return names;
}

void add_what_is_asked(const Command& command, Arguments& arguments) {
  command
      .add_option("--property", arguments.properties,
                  "hull-distance, half-space (rows as queries), switch, smoothing (a head) or "
                  "representable (rows as queries and keys; exit 1 when no matrix scores them as "
                  "the pattern asks); may be repeated (default: all that apply but representable). "
                  "Or sink-share alone: how many heads of a model attend to one position, enclosed")
      .one_value_each()
      .one_of(property_names());
  command.add_option(
      "--anchor", arguments.anchor,
      "Number of the anchor's row (default: 0, BOS); rows equal to it are no others");
  command
      .add_option("--vectors", arguments.vectors,
                  "Only these rows, as i,j,.. increasing (default: all)")
      .delimiter(',')
      .one_value_each();
  add_pattern_options(command, arguments.pattern, "sink-A, for --property representable");
  command.add_option("--epsilon", arguments.epsilon,
                     "A head sinks when its average attention exceeds this; of sink-share "
                     "(default: 0.3)");
  command.add_option("--position", arguments.position,
                     "The key it is on, from 1; of sink-share (default: 1)");
  command.add_option("-o,--output", arguments.output,
                     "Write the certificate here; with several, CERT.l0.h1.json and so on");
  command.add_option("--save-inputs", arguments.save_inputs,
                     "Write the rows of --tokens or --random here, as layers.{l}.input and output");
  command.add_option("--claims", arguments.claims,
                     "Folder with the claim folders (default: proofs)");
}

}  // namespace

void add_measure(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "measure",
      "Exact statements about given vectors or a head's values at them: hull distance, switch, "
      "smoothing, representability; the sink share of a model on given sequences");
  const auto arguments = std::make_shared<Arguments>();
  add_what_is_read(command, *arguments);
  add_what_is_asked(command, *arguments);
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sinkproof::cli
