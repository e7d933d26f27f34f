#include <fmt/core.h>

#include <iostream>
#include <memory>

#include "claim/authoring_step.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "prove/construction_export.hpp"

namespace sinkproof::cli {
namespace {

constexpr std::uint64_t kMaxConstructionBytes = std::uint64_t{16} << 20U;

struct Arguments {
  Common common;
  std::string file;
  std::string output;
  std::size_t d_model = 8;
};

void print(const prove::ConstructionExport& exported, const Arguments& arguments) {
  const auto& construction = exported.construction;
  const std::string loss = exact::to_string(construction.sup_loss);
  if (arguments.common.json()) {
    std::cout << json::Value({{"schema", 1},
                              {"attention", to_string(construction.attention)},
                              {"d_model", arguments.d_model},
                              {"num_heads", construction.heads.size()},
                              {"seq_len", construction.length},
                              {"sup_loss", loss},
                              {"construction", exported.sha256},
                              {"output", arguments.output}})
                     .dump(2)
              << '\n';
  } else if (!arguments.common.quiet) {
    fmt::print("{}, {} head{}, d_model {}, length {}, sup loss {} before rounding to doubles: {}\n",
               to_string(construction.attention), construction.heads.size(),
               construction.heads.size() == 1 ? "" : "s", arguments.d_model, construction.length,
               loss, arguments.output);
  }
}

int run(const Arguments& arguments) {
  if (arguments.d_model < prove::kMinExportWidth || arguments.d_model > prove::kMaxExportWidth) {
    return report_error(
        {"SP1308", "--d-model " + std::to_string(arguments.d_model),
         fmt::format("must be {} to {}", prove::kMinExportWidth, prove::kMaxExportWidth)});
  }
  const auto text = file::read(arguments.file, kMaxConstructionBytes);
  if (!text) return report_error(text.error());
  const auto exported = prove::export_construction(*text, arguments.d_model, arguments.file);
  if (!exported) return report_error(claim::with_authoring_step(exported.error()));
  if (const auto written = safetensors::write(arguments.output, exported->checkpoint); !written) {
    return report_error(written.error());
  }
  print(*exported, arguments);
  return kOk;
}

}  // namespace

void add_construct(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "construct", "Export a construction (a claim's NAME.construction.json) as a checkpoint");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("file", arguments->file, "NAME.construction.json")
      .required()
      .type_name("FILE");
  command.add_option("--d-model", arguments->d_model, "Coordinates of a token, 4 to 512")
      .capture_default_str();
  command.add_option("-o,--output", arguments->output, "Checkpoint to write").required();
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sinkproof::cli
