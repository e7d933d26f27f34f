#include "cli/measure_options.hpp"

#include <vector>

#include "cli/pattern_options.hpp"
#include "cli/verbs.hpp"

namespace sinkproof::cli {
namespace {

using exact::fail;
using exact::Result;

// Options that exclude each other.
struct Clash {
  bool is_there;
  const char* code;
  const char* options;
  const char* why;
};

constexpr const char* kNeedsForward = "needs a forward pass; add --tokens FILE or --random N";

// Whether a head reads the rows and smoothing is among what is measured.
bool smooths(const measure::RunRequest& request) {
  return (request.forward() || !request.model.empty()) &&
         (request.properties.empty() || request.names(to_string(measure::Kind::kSmoothing)));
}

std::vector<Clash> clashes_of_rows(const MeasureArguments& arguments) {
  const measure::RunRequest& request = arguments.request;
  const bool forward = request.forward();
  const bool names_head = request.layer || request.head || request.heads;
  const bool representable = request.names(to_string(measure::Kind::kRepresentable));
  return {{request.random != 0 && !request.tokens.empty(), "SP1508", "--tokens",
           "cannot be combined with --random, because each gives the model's input; leave one out"},
          {forward && !request.model.empty(), "SP1508", "--model",
           "cannot be combined with --tokens or --random, where the first file is the model; leave "
           "--model out"},
          {forward && !arguments.output.empty() && request.save_inputs.empty(), "SP1508", "-o",
           "needs --save-inputs FILE, because a certificate is about stored rows"},
          {!forward && request.model.empty() && names_head, "SP1508", "--layer, --head, --heads",
           "need the file with the head; add --model FILE"},
          {request.pattern.any() && !representable, "SP1508",
           "--pattern, --roles, --constraints, --margin", "need --property representable"},
          {!request.pattern.roles.empty() && (request.anchor || request.vectors), "SP1508",
           "--roles", "already names BOS and the rows; leave --anchor and --vectors out"}};
}

void add_what_is_read(const Command& command, MeasureArguments& arguments) {
  measure::RunRequest& request = arguments.request;
  command.group("Model");
  command
      .add_option("file", request.file,
                  "Rows to measure; with --tokens or --random, the model that is run forward")
      .required()
      .path(output::Use::kReads)
      .type_name("FILE.safetensors");
  command
      .add_option("--model", request.model,
                  "File with the head that reads the rows: W_V.weight, W_O.weight, W_V.bias")
      .path(output::Use::kReads)
      .type_name("FILE.safetensors");
  add_reading(command, request);
  command
      .add_option("--beta", request.beta,
                  "Residual coefficient of smoothing (default: 1 or 0, by the metadata)")
      .only_where(
          [&request] { return smooths(request); },
          "is about smoothing by a head; add --model FILE, --tokens FILE or --random N, and "
          "name smoothing among the properties");
  command.add_option("--layer", request.layer, "Layer, from 0 (default: all, or the only one)")
      .between(std::uint64_t{0}, kMostIndex);
  command.add_option("--head", request.head, "Head, from 0 (default: all)")
      .between(std::uint64_t{0}, kMostIndex);
  command.group("Inputs");
  command
      .add_option("--tensor", request.tensor,
                  "Tensor [T, d] with the rows (default: the file's only matrix)")
      .only_where([&request] { return request.random == 0; },
                  "is not read with --random, which makes the rows; leave one of them out");
  add_sequences(command, request);
}

std::vector<std::string> property_names() {
  std::vector<std::string> names;
  for (const measure::Kind kind : measure::kKinds) names.push_back(to_string(kind));
  return names;
}

void add_what_is_asked(const Command& command, MeasureArguments& arguments) {
  measure::RunRequest& request = arguments.request;
  command.group("Properties");
  command
      .add_option("--property", request.properties,
                  "hull-distance, half-space (rows as queries), switch, smoothing (a head), "
                  "representable (rows as queries and keys; exit 1 if no matrix gives such scores) "
                  "(default: all that apply but representable)")
      .one_value_each()
      .one_of(property_names());
  command
      .add_option(
          "--anchor", request.anchor,
          "Index of the anchor row, 0-based (default: 0, BOS); rows equal to it are left out")
      .between(std::uint64_t{0}, kMostIndex);
  command
      .add_option("--vectors", request.vectors,
                  "Only these rows, as i,j,.. increasing (default: all)")
      .delimiter(',')
      .one_value_each();
  add_pattern_options(command, request.pattern, "sink-A, for --property representable");
  command.group("Output");
  command
      .add_option("-o,--output", arguments.output,
                  "Certificate to write; for several heads, CERT.l0.h1.json and so on")
      .path(output::Use::kWrites);
  command
      .add_option("--save-inputs", request.save_inputs,
                  "Write the rows of --tokens or --random here: layers.{l}.input and output")
      .only_where([&request] { return request.forward(); }, kNeedsForward)
      .path(output::Use::kWrites);
  add_claims(command, arguments.claims);
}

}  // namespace

void add_reading(const Command& command, measure::RunRequest& request) {
  command.add_option("--heads,--num-heads", request.heads,
                     "Number of heads (overrides the metadata; default: its num_heads, else 1)");
  command
      .add_option("--attention", request.attention,
                  "Attention kind of a model run forward (overrides the metadata)")
      .only_where([&request] { return request.forward(); }, kNeedsForward);
  command
      .add_option("--scale", request.scale,
                  "Factor of all logits, such as 1/sqrt(16) (default: the metadata's, or 1)")
      .only_where([&request] { return request.forward(); }, kNeedsForward);
}

void add_sequences(const Command& command, measure::RunRequest& request) {
  command.add_option("--tokens", request.tokens, "Run the model on the rows of this file's tensor")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--random", request.random,
                  "Run the model on this many random sequences of the trigger task")
      .between(1, 1024);
  command.add_option("--seed", request.seed, "Random seed of --random")
      .only_where([&request] { return request.random != 0; }, "needs --random N")
      .capture_default_str();
  command
      .add_option("--length", request.length,
                  "Rows per sequence (default: the model's with --random, else all rows)")
      .between(1, 1024);
}

Result<void> check_combination(const MeasureArguments& arguments) {
  for (const Clash& clash : clashes_of_rows(arguments)) {
    if (clash.is_there) return fail(clash.code, clash.options, clash.why);
  }
  return {};
}

void add_measure_options(const Command& command, MeasureArguments& arguments) {
  add_what_is_read(command, arguments);
  add_what_is_asked(command, arguments);
}

}  // namespace sinkproof::cli
