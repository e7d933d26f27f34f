#include "cli/measure_options.hpp"

#include <vector>

#include "cli/pattern_options.hpp"

namespace sinkproof::cli {
namespace {

using exact::fail;
using exact::Result;

constexpr std::uint64_t kMostIndex = 999999;
constexpr const char* kSinkShare = "sink-share";  // of the model as a whole, not of vectors

// What is said together and does not go together.
struct Clash {
  bool is_there;
  const char* code;
  const char* options;
  const char* why;
};

std::vector<Clash> clashes_of_share(const MeasureArguments& arguments) {
  const measure::RunRequest& request = arguments.request;
  const bool of_vectors = request.layer || request.head || request.anchor || request.vectors ||
                          request.pattern.any() || !request.beta.empty() ||
                          !request.save_inputs.empty();
  return {{request.properties.size() > 1, "SP1508", "--property sink-share", "is asked for alone"},
          {!request.forward(), "SP1507", "--property sink-share",
           "speaks of a model on sequences: say --random N or --tokens FILE"},
          {of_vectors, "SP1508",
           "--layer, --head, --anchor, --vectors, --beta, --save-inputs and pattern options",
           "belong to other properties: the sink share is of all layers and heads"}};
}

std::vector<Clash> clashes_of_rows(const MeasureArguments& arguments) {
  const measure::RunRequest& request = arguments.request;
  const bool forward = request.forward();
  const bool share = arguments.asks_for_sink_share();  // whose inputs a checker draws again
  const bool names_head = request.layer || request.head || request.heads;
  const bool representable = request.names(to_string(measure::Kind::kRepresentable));
  return {
      {request.random != 0 && !request.tokens.empty(), "SP1508", "--tokens",
       "not together with --random: both say what the model reads"},
      {forward && !request.model.empty(), "SP1508", "--model",
       "with --tokens or --random the first file is the model; name only one"},
      {!forward && !request.save_inputs.empty(), "SP1508", "--save-inputs",
       "needs --tokens or --random: there is no forward pass"},
      {forward && !share && !arguments.output.empty() && request.save_inputs.empty(), "SP1508",
       "-o", "a certificate is about stored rows; store them with --save-inputs FILE"},
      {!forward && !request.scale.empty(), "SP1508", "--scale",
       "needs --tokens or --random: only a forward pass has logits"},
      {!forward && request.model.empty() && names_head, "SP1508", "--layer, --head, --heads",
       "need --model, which holds the head"},
      {request.pattern.any() && !representable, "SP1508",
       "--pattern, --roles, --constraints, --margin", "belong to --property representable"},
      {!request.pattern.roles.empty() && (request.anchor || request.vectors), "SP1508", "--roles",
       "says itself which row is BOS and which rows are meant: leave --anchor and --vectors "
       "out"}};
}

void add_what_is_read(const Command& command, MeasureArguments& arguments) {
  measure::RunRequest& request = arguments.request;
  command
      .add_option("file", arguments.inputs,
                  "Rows to measure; with --tokens or --random the model that is run forward, or a "
                  "language model's folder (config.json, model.safetensors or its shards), or "
                  "several of these to compare")
      .required()
      .path(output::Use::kReads)
      .type_name("FILE.safetensors|DIR");
  command.add_option("--tensor", request.tensor,
                     "Tensor [T, d] with the rows (default: the file's only matrix)");
  command
      .add_option("--model", request.model,
                  "File with the head that reads the rows: W_V.weight, W_O.weight, W_V.bias")
      .path(output::Use::kReads)
      .type_name("FILE.safetensors");
  command
      .add_option("--tokens", request.tokens,
                  "Run the model on the rows of this file's tensor; a language model on the ids of "
                  "this file: JSON or .npy")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--random", request.random,
                  "Run the model on this many random sequences of the trigger task; a language "
                  "model on uniform ids")
      .between(1, 1024);
  command.add_option("--seed", request.seed, "Of --random").capture_default_str();
  command
      .add_option("--length", request.length,
                  "Rows per sequence (default: the model's length with --random, else all rows; "
                  "a language model: 64)")
      .between(1, 1024);
  command.add_option("--layer", request.layer, "Layer, from 0 (default: all, or the only one)")
      .between(std::uint64_t{0}, kMostIndex);
  command.add_option("--head", request.head, "Head, from 0 (default: all)")
      .between(std::uint64_t{0}, kMostIndex);
  command.add_option("--heads,--num-heads", request.heads,
                     "Number of heads, against the metadata (default: its num_heads, else 1)");
  command.add_option("--beta", request.beta,
                     "Residual coefficient of smoothing (default: 1 or 0, as the metadata says)");
  command.add_option("--attention", request.attention,
                     "Kind of attention of a model run forward, against the metadata");
  command.add_option("--scale", request.scale,
                     "Factor of all logits of a model run forward, such as 1/4 or 1/sqrt(16), "
                     "against the metadata (default: 1, unscaled)");
}

std::vector<std::string> property_names() {
  std::vector<std::string> names;
  for (const measure::Kind kind : measure::kKinds) names.push_back(to_string(kind));
  names.emplace_back(kSinkShare);
  return names;
}

void add_language(const Command& command, MeasureArguments& arguments) {
  command
      .add_option("--evict", arguments.evict,
                  "S,W or S,W,renumbered; of a language model: how far rows move where queries see "
                  "the first S tokens and the last W only; renumbered: positions are those within "
                  "that cache; may be repeated")
      .one_value_each();
  command
      .add_option("--ablate", arguments.ablate,
                  "LAYER,HEAD from 0; of a language model: how far rows move where this head does "
                  "not see the first token; may be repeated, each alone")
      .one_value_each();
  command
      .add_option("--save-attention", arguments.save_attention,
                  "Write a language model's attention here as .npy: float64 [layer, head, q, k], "
                  "with several sequences [sequence, layer, head, q, k]")
      .path(output::Use::kWrites);
  command
      .add_option("--assume-neutral", arguments.assume_neutral,
                  "Read a language model as if config.json did not have this key; certificates and "
                  "verdicts name it; repeatable")
      .type_name("KEY");
  command
      .add_option("--text", arguments.text,
                  "Run a language model on the tokens its folder's tokenizer.json makes of this "
                  "file; with --length in sequences of so many; needs --bos")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--bos", arguments.bos,
                  "Whether sequences of --text begin with the token that begins texts")
      .one_of({"with", "without"});
  command.add_flag("--rigorous", arguments.rigorous,
                   "Enclose a language model's figures, too; -o does so and writes a certificate");
  command
      .add_option("--save-logits", arguments.save_logits,
                  "Write a language model's logits here as .npy: float64 [q, vocabulary]")
      .path(output::Use::kWrites);
}

void add_what_is_asked(const Command& command, MeasureArguments& arguments) {
  measure::RunRequest& request = arguments.request;
  command
      .add_option("--property", request.properties,
                  "hull-distance, half-space (rows as queries), switch, smoothing (a head) or "
                  "representable (rows as queries and keys; exit 1 when no matrix scores them as "
                  "the pattern asks); may be repeated (default: all that apply but representable). "
                  "Or sink-share alone: how many heads of a model attend to one position, enclosed")
      .one_value_each()
      .one_of(property_names());
  command
      .add_option("--anchor", request.anchor,
                  "Number of the anchor's row (default: 0, BOS); rows equal to it are no others")
      .between(std::uint64_t{0}, kMostIndex);
  command
      .add_option("--vectors", request.vectors,
                  "Only these rows, as i,j,.. increasing (default: all)")
      .delimiter(',')
      .one_value_each();
  add_pattern_options(command, request.pattern, "sink-A, for --property representable");
  command.add_option(
      "--epsilon", arguments.epsilon,
      "A head sinks when its average attention exceeds this; of sink-share and folders "
      "(default: 0.3)");
  command
      .add_option("--position", arguments.position,
                  "The key it is on, from 1; of sink-share and folders (default: 1)")
      .between(std::uint64_t{0}, kMostIndex);
  command
      .add_option("-o,--output", arguments.output,
                  "Write the certificate here; with several, CERT.l0.h1.json and so on; of "
                  "several folders a folder: their certificates, and report.html")
      .path([&arguments] {
        return arguments.inputs.size() > 1 ? output::Use::kWritesFolder : output::Use::kWrites;
      });
  command
      .add_option("--save-inputs", request.save_inputs,
                  "Write the rows of --tokens or --random here, as layers.{l}.input and output; of "
                  "a language model its heads' keys, values and outputs, too")
      .path(output::Use::kWrites);
  command
      .add_option("--claims", arguments.claims, "Folder with the claim folders (default: proofs)")
      .path(output::Use::kReadsAll);
}

}  // namespace

bool MeasureArguments::asks_for_sink_share() const { return request.names(kSinkShare); }

Result<void> check_combination(const MeasureArguments& arguments) {
  const bool share = arguments.asks_for_sink_share();
  const bool language = !arguments.assume_neutral.empty() || !arguments.evict.empty() ||
                        !arguments.ablate.empty() || !arguments.save_attention.empty() ||
                        !arguments.save_logits.empty() || arguments.rigorous ||
                        !arguments.text.empty() || !arguments.bos.empty();
  std::vector<Clash> clashes = {
      {language, "SP1508",
       "--assume-neutral, --evict, --ablate, --save-attention, --save-logits, --rigorous, --text, "
       "--bos",
       "belong to a language model: name its folder"},
      {!share && (!arguments.epsilon.empty() || arguments.position), "SP1508",
       "--epsilon, --position", "belong to --property sink-share"}};
  if (share) {
    const auto of_share = clashes_of_share(arguments);
    clashes.insert(clashes.end(), of_share.begin(), of_share.end());
  }
  const auto of_rows = clashes_of_rows(arguments);
  clashes.insert(clashes.end(), of_rows.begin(), of_rows.end());
  for (const Clash& clash : clashes) {
    if (clash.is_there) return fail(clash.code, clash.options, clash.why);
  }
  return {};
}

void add_measure_options(const Command& command, MeasureArguments& arguments) {
  add_what_is_read(command, arguments);
  add_what_is_asked(command, arguments);
  add_language(command, arguments);
}

}  // namespace sinkproof::cli
