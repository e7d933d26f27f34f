#include "model/convert.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "certificate/beside_bounds.hpp"
#include "certificate/sha256.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"
#include "model/foreign_file.hpp"
#include "model/lens.hpp"
#include "model/saved_folder.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

struct ConvertArguments {
  Common common;
  std::string input;
  std::string output;
  model::Conversion conversion;
  bool folder = false;
  std::string activation;
};

std::string new_name(const model::Converted& converted, std::size_t layer,
                     const std::string& name) {
  if (converted.layers.size() == 1) return name;
  return "layers." + std::to_string(layer) + "." + name;
}

json::Value report_json(const model::Converted& converted, const ConvertArguments& arguments) {
  const model::AttentionModel& model = converted.model;
  json::Value tensors = json::Value::array();
  for (std::size_t l = 0; l < converted.layers.size(); ++l) {
    for (const auto& [name, from] : converted.layers[l].tensors) {
      tensors.push_back({{"name", new_name(converted, l, name)},
                         {"from", from.tensor},
                         {"part", from.part},
                         {"parts", from.parts}});
    }
  }
  json::Value notes = json::Value::array();
  for (const std::string& note : converted.notes) notes.push_back(note);
  return {{"schema", 1},
          {"attention", to_string(model.attention)},
          {"d_model", model.d_model},
          {"num_heads", model.num_heads},
          {"num_layers", model.layers.size()},
          {"residual", model.residual},
          {"scale", exact::to_string(model.scale)},
          {"sha256", model.sha256},
          {"tensors", std::move(tensors)},
          {"notes", std::move(notes)},
          {"output", arguments.output}};
}

void print_text(const model::Converted& converted, const ConvertArguments& arguments) {
  const auto shape = [&](const std::string& name) {
    return model::shape_text(converted.contents.tensors.at(name).shape);
  };
  for (std::size_t l = 0; l < converted.layers.size(); ++l) {
    for (const auto& [own, from] : converted.layers[l].tensors) {
      const std::string name = new_name(converted, l, own);
      const std::string part =
          from.parts == 1 ? "" : fmt::format(", part {} of {}", from.part + 1, from.parts);
      say("{} {} from {}{}\n", name, shape(name), from.tensor, part);
    }
  }
  const model::AttentionModel& model = converted.model;
  say("{}, {} of {}, d_model {}, residual {}, {}: {}\n", to_string(model.attention),
      text::counted(model.layers.size(), "layer"), text::counted(model.num_heads, "head"),
      model.d_model, model.residual, certificate::scale_text(model.scale), arguments.output);
  for (const std::string& note : converted.notes) say("note: {}\n", note);
}

exact::Result<model::Converted> converted(const ConvertArguments& arguments) {
  const auto saved = model::find_saved_model(arguments.input);
  if (!saved) return tl::unexpected(saved.error());
  const auto bytes = file::read(saved->file);
  if (!bytes) return tl::unexpected(bytes.error());
  auto contents = model::read_contents(*bytes, saved->file.string());
  if (!contents) return tl::unexpected(contents.error());
  model::Conversion conversion = arguments.conversion;
  if (!conversion.says.num_heads) conversion.says.num_heads = saved->num_heads;
  contents->metadata["converted_from"] = certificate::sha256_hex(*bytes);
  return model::convert(*contents, conversion, saved->file.string());
}

exact::Result<void> write_folder(const ConvertArguments& arguments, const model::LensModel& made) {
  std::error_code error;
  std::filesystem::create_directories(arguments.output, error);
  if (error) return exact::fail("SP0203", arguments.output, "cannot be made: " + error.message());
  const std::filesystem::path folder = arguments.output;
  if (auto written = output::write(folder / "model.safetensors", made.contents); !written) {
    return written;
  }
  return output::replace(folder / "config.json", made.config);
}

// A language model's folder for `sinkproof cover` and `audit`.
int run_convert_folder(const ConvertArguments& arguments) {
  const auto bytes = file::read(arguments.input);
  if (!bytes) return report_error(bytes.error());
  auto contents = model::read_contents(*bytes, arguments.input);
  if (!contents) return report_error(contents.error());
  auto made = model::lens_model(*contents, arguments.activation, arguments.input);
  if (!made) return report_error(made.error());
  made->contents.metadata["converted_from"] = certificate::sha256_hex(*bytes);
  if (const auto written = write_folder(arguments, *made); !written) {
    return report_error(written.error());
  }
  if (arguments.common.json()) {
    say_json({{"schema", 1},
              {"output", arguments.output},
              {"config", *json::parse_strict(made->config, "config.json")},
              {"convention", made->convention}});
  } else if (!arguments.common.quiet) {
    const std::string_view config(made->config);
    say("{}: config.json {}\n", arguments.output, config.substr(0, config.size() - 1));
    say("layout: {}\n", made->convention);
    say("taken for granted: no norms, logits over sqrt(head width), a causal mask\n");
  }
  return kOk;
}

int run_convert(const ConvertArguments& arguments) {
  if (arguments.folder) return run_convert_folder(arguments);
  const auto made = converted(arguments);
  if (!made) return report_error(made.error());
  if (const auto written = output::write(arguments.output, made->contents); !written) {
    return report_error(written.error());
  }
  if (arguments.common.json()) {
    say_json(report_json(*made, arguments));
  } else if (!arguments.common.quiet) {
    print_text(*made, arguments);
  }
  return kOk;
}

}  // namespace

void add_convert(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "convert", "Make a checkpoint of a model whose tensors have other names or layouts");
  const auto arguments = std::make_shared<ConvertArguments>();
  model::Overrides& says = arguments->conversion.says;
  command.group("Model");
  command.add_option("model", arguments->input, "Safetensors file, or a Hugging Face folder")
      .required()
      .path(output::Use::kReads)
      .type_name("MODEL");
  const auto of_checkpoint = [arguments](Option option) {
    return option.only_where([arguments] { return !arguments->folder; },
                             "is not read with --folder; leave one of them out");
  };
  of_checkpoint(
      command.add_option("--attention", says.attention, "Kind of attention, such as softmax"));
  of_checkpoint(command.add_option("--num-heads", says.num_heads, "Number of heads of each layer"))
      .between(1, 64);
  of_checkpoint(
      command.add_option("--scale", says.scale,
                         "Factor of all logits: 1/8, 1/sqrt(8), or 1 where they are not scaled"));
  of_checkpoint(
      command.add_option("--residual", says.residual,
                         "true or false: residual connections (default of one layer: false)"));
  of_checkpoint(command.add_option("--length", says.length, "Sequence length")).between(3, 1000000);
  command.group("Tensors");
  of_checkpoint(
      command.add_option("--map", arguments->conversion.map,
                         "Read tensor OLD as NEW, such as q=W_Q.weight; OLD= leaves it out"))
      .one_value_each()
      .type_name("OLD=NEW");
  of_checkpoint(command.add_option("--only", arguments->conversion.only,
                                   "Take the tensors under this prefix and leave all others out"))
      .type_name("PREFIX");
  command.group("Folder");
  command.add_flag("--folder", arguments->folder,
                   "Write a folder for cover and audit from a TransformerLens state dict");
  command.add_option("--activation", arguments->activation, "With --folder: activation of the MLPs")
      .only_where([arguments] { return arguments->folder; }, "needs --folder")
      .one_of({"relu", "gelu", "gelu_new", "silu"});
  command.group("Output");
  command
      .add_option("-o,--output", arguments->output,
                  "Checkpoint to write; with --folder: the folder")
      .required()
      .path([arguments] {
        return arguments->folder ? output::Use::kWritesFolder : output::Use::kWrites;
      });
  add_common(command, arguments->common);
  command.example(
      "sinkproof convert a.safetensors -o b.safetensors --attention softmax --num-heads 2 --scale "
      "1/4");
  command.example(
      "sinkproof convert gpt2/ -o head.safetensors --attention softmax --scale 1/8 --only "
      "h.0.attn");
  command.example("sinkproof convert addition.safetensors --folder --activation relu -o addition/");
  command.callback([arguments, &exit_code] { exit_code = run_convert(*arguments); });
}

}  // namespace sinkproof::cli
