#include "cli/audit_options.hpp"

#include "cli/sink_share.hpp"
#include "cli/verbs.hpp"

namespace sinkproof::cli {
namespace {

using exact::fail;

void add_inputs(const Command& command, AuditArguments& arguments) {
  command.group("Model");
  add_model_folders(command, arguments.folders);
  command
      .add_option("--assume-neutral", arguments.assume_neutral,
                  "Read config.json as if it did not have this key; every verdict names it")
      .type_name("KEY");
  command.group("Inputs");
  command
      .add_option("--tokens", arguments.tokens,
                  "Token ids to read: JSON, .npy, or .jsonl with a list in each line")
      .path(output::Use::kReads)
      .type_name("FILE");
  command
      .add_option("--text", arguments.text,
                  "Text to read with the folder's tokenizer.json; .jsonl with a text in each line, "
                  "or a folder of .txt files; needs --bos")
      .path(output::Use::kReadsAll)
      .type_name("FILE|DIR");
  add_bos(command, arguments.bos, [&arguments] { return !arguments.text.empty(); });
  command.add_option("--random", arguments.random, "Number of sequences of uniformly random ids")
      .between(1, 1 << 20);
  command.add_option("--seed", arguments.seed, "Random seed of --random")
      .only_where([&arguments] { return arguments.random != 0; }, "needs --random N")
      .capture_default_str();
  command
      .add_option("--length", arguments.length,
                  "Tokens in a sequence: longer ones are cut (default with --random: 64)")
      .between(1, 1024);
}

void add_properties(const Command& command, AuditArguments& arguments) {
  command.group("Properties");
  add_sink_threshold(command, arguments.epsilon, arguments.position);
  command
      .add_option(
          "--evict", arguments.evict,
          "Measure how far rows and the loss move if queries see only the first S and the last W "
          "tokens; S,W,renumbered: positions within that cache")
      .one_value_each();
  command
      .add_option(
          "--ablate", arguments.ablate,
          "Measure how far rows and the loss move if these heads do not see the first token: "
          "LAYER,HEAD, 0-based, or several at once, such as 3,0+3,5")
      .one_value_each();
  command.add_flag("--loss", arguments.loss,
                   "Measure next-token loss and perplexity; --evict and --ablate do so anyway");
  command.add_flag("--rigorous", arguments.rigorous,
                   "Enclose each figure between two numbers; -o does so and writes a certificate");
}

void add_outputs(const Command& command, AuditArguments& arguments) {
  command.group("Output");
  command
      .add_option("-o,--output", arguments.output,
                  "Certificate to write; for several folders, a folder for theirs and report.html")
      .path([&arguments] {
        return arguments.folders.size() > 1 ? output::Use::kWritesFolder : output::Use::kWrites;
      });
  command.add_flag(
      "--summary", arguments.summary,
      "Print means and standard errors in the JSON, without the figures of each sequence");
  command
      .add_option("--csv", arguments.csv,
                  "Write means and standard errors of each head here, a line for each")
      .path(output::Use::kWrites)
      .type_name("FILE");
  command
      .add_option("--csv-interventions", arguments.csv_interventions,
                  "Write how far each --evict and --ablate moves rows, logits and the loss here")
      .only_where([&arguments] { return !arguments.evict.empty() || !arguments.ablate.empty(); },
                  "needs --evict or --ablate")
      .path(output::Use::kWrites)
      .type_name("FILE");
  command
      .add_option("--npz", arguments.npz,
                  "Write means and standard errors here as NumPy arrays by layer and head")
      .path(output::Use::kWrites)
      .type_name("FILE");
  command
      .add_option("--save-attention", arguments.save_attention,
                  "Write the attention here as .npy: float64 [sequence, layer, head, q, k], or "
                  "[layer, head, q, k] of one sequence")
      .path(output::Use::kWrites);
  command
      .add_option("--save-logits", arguments.save_logits,
                  "Write the logits here as .npy: float64 [q, vocabulary]")
      .path(output::Use::kWrites);
  command
      .add_option("--save-inputs", arguments.save_inputs,
                  "Write each layer's input and its heads' keys, values and outputs here")
      .path(output::Use::kWrites);
  add_claims(command, arguments.claims);
}

}  // namespace

void add_model_folders(const Command& command, std::vector<std::string>& folders) {
  command
      .add_option("dir", folders,
                  "Hugging Face folders: config.json and model.safetensors or its shards")
      .required()
      .path(output::Use::kReads)
      .type_name("DIR");
}

void add_bos(const Command& command, std::string& bos, const std::function<bool()>& is_text) {
  command.add_option("--bos", bos, "Begin sequences of --text with the BOS token, or without it")
      .only_where(is_text, "is about texts; add --text, or leave --bos out")
      .one_of({"with", "without"});
}

void add_audit_options(const Command& command, AuditArguments& arguments) {
  add_inputs(command, arguments);
  add_properties(command, arguments);
  add_outputs(command, arguments);
}

exact::Result<void> check_combination(const AuditArguments& arguments) {
  const int said = (arguments.tokens.empty() ? 0 : 1) + (arguments.random == 0 ? 0 : 1) +
                   (arguments.text.empty() ? 0 : 1);
  if (said != 1) {
    return fail(
        "SP1508", arguments.folders.front(),
        "an audit needs token ids; give exactly one of --tokens FILE, --text FILE and --random N");
  }
  return {};
}

}  // namespace sinkproof::cli
