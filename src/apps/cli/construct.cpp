#include <fmt/core.h>

#include <memory>

#include "claim/authoring_step.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "output/safetensors.hpp"
#include "prove/construction_export.hpp"
#include "prove/stack_export.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

constexpr std::uint64_t kMaxConstructionBytes = std::uint64_t{16} << 20U;

struct ConstructArguments {
  Common common;
  std::string file;
  std::string output;
  std::size_t d_model = 8;
};

json::Value known_loss(const prove::ExportedModel& model) {
  return model.sup_loss ? json::Value(exact::to_string(*model.sup_loss)) : json::Value();
}

void print(const prove::ExportedModel& model, const ConstructArguments& arguments) {
  const std::size_t layers = model.layers.size();
  const std::size_t heads = model.layers[0].size();
  if (arguments.common.json()) {
    say_json(json::Value({{"schema", 1},
                          {"attention", to_string(model.attention)},
                          {"d_model", model.d_model},
                          {"num_heads", heads},
                          {"num_layers", layers},
                          {"seq_len", model.length},
                          {"sup_loss", known_loss(model)},
                          {"construction", model.sha256},
                          {"output", arguments.output}}));
  } else if (!arguments.common.quiet) {
    say("{}, {} of {}, d_model {}, length {}{}: {}\n", to_string(model.attention),
        text::counted(layers, "layer"), text::counted(heads, "head"), model.d_model, model.length,
        model.sup_loss
            ? ", sup loss " + exact::to_string(*model.sup_loss) + " before rounding to doubles"
            : "",
        arguments.output);
  }
}

bool is_stack(const ConstructArguments& arguments) {
  return arguments.file.ends_with(".stack.json");
}

// A construction is a step of a claim, a stack is not.
int report_file_error(const ConstructArguments& arguments, const exact::Error& error) {
  return report_error(is_stack(arguments) ? error : claim::with_authoring_step(error));
}

int run_construct(const ConstructArguments& arguments) {
  if (arguments.d_model < prove::kMinExportWidth || arguments.d_model > prove::kMaxExportWidth) {
    return report_error(
        {"SP1308", "--d-model " + std::to_string(arguments.d_model),
         fmt::format("must be from {} to {}", prove::kMinExportWidth, prove::kMaxExportWidth)});
  }
  const auto text = file::read(arguments.file, kMaxConstructionBytes);
  if (!text) return report_error(text.error());
  const auto export_model = is_stack(arguments) ? prove::export_stack : prove::export_construction;
  const auto model = export_model(*text, arguments.d_model, arguments.file);
  if (!model) return report_file_error(arguments, model.error());
  const auto checkpoint = prove::checkpoint_of(*model, arguments.file);
  if (!checkpoint) return report_file_error(arguments, checkpoint.error());
  if (const auto written = output::write(arguments.output, *checkpoint); !written) {
    return report_error(written.error());
  }
  print(*model, arguments);
  return kOk;
}

}  // namespace

void add_construct(const Command& program, int& exit_code) {
  const Command command =
      program.add_verb("construct", "Export a construction or a stack of formulas as a checkpoint");
  const auto arguments = std::make_shared<ConstructArguments>();
  command.group("Construction");
  command.add_option("file", arguments->file, "NAME.construction.json or NAME.stack.json")
      .required()
      .path(output::Use::kReads)
      .type_name("FILE");
  command.add_option("--d-model", arguments->d_model, "Coordinates of a token, 4 to 512")
      .capture_default_str();
  command.group("Output");
  command.add_option("-o,--output", arguments->output, "Checkpoint to write")
      .required()
      .path(output::Use::kWrites);
  add_common(command, arguments->common);
  command.example(
      "sinkproof construct proofs/tc-7/two-heads-exact-L4.construction.json -o "
      "two-heads.safetensors");
  command.example(
      "sinkproof construct examples/stacks/one-head-deep.stack.json --d-model 6 -o "
      "deep.safetensors");
  command.callback([arguments, &exit_code] { exit_code = run_construct(*arguments); });
}

}  // namespace sinkproof::cli
