#include "train/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"
#include "train/kernels.hpp"
#include "train/normal.hpp"
#include "train/parameters.hpp"
#include "train/philox.hpp"

namespace sinkproof::train {
namespace {

using Metadata = std::map<std::string, std::string>;

// Separates the initial weights from the samples in Philox's counters.
constexpr std::uint32_t kInitialWeights = 1;

std::array<double, 4> four_normals(std::size_t block, const PhiloxKey& key) {
  const PhiloxCounter words =
      philox4x32({static_cast<std::uint32_t>(block), 0, 0, kInitialWeights}, key);
  const auto [a, b] = box_muller(words[0], words[1]);
  const auto [c, d] = box_muller(words[2], words[3]);
  return {a, b, c, d};
}

Metadata run_metadata(const Options& options, const State& state) {
  Metadata metadata = run_metadata(options);
  metadata["steps"] = std::to_string(state.steps);
  metadata["target"] = kernel_target();
  return metadata;
}

// Text about the runs that have it alone.
const std::set<std::string> kOnlyIfNot0 = {"weight_decay", "bos_penalty", "initial", "bias"};

Metadata sidecar_metadata(const Options& options, const State& state) {
  Metadata metadata = run_metadata(options, state);
  metadata["batch"] = std::to_string(options.batch);
  metadata["initial_deviation"] = fmt::format("{}", options.initial_deviation);
  if (options.shape.bias) metadata["bias"] = "true";
  return metadata;
}

void add_tensors(const Shape& shape, const AlignedFloats& padded, const std::string& prefix,
                 safetensors::Contents& contents) {
  for (const Parameter& parameter : parameters(shape)) {
    contents.tensors[prefix + parameter.name] =
        output::float32_tensor(parameter.tensor_shape(), dense(parameter, padded));
  }
}

exact::Result<AlignedFloats> read_tensors(const Shape& shape, const safetensors::Contents& contents,
                                          const std::string& prefix, const std::string& where) {
  AlignedFloats padded(parameter_floats(shape));
  for (const Parameter& parameter : parameters(shape)) {
    const std::string name = prefix + parameter.name;
    const std::string place = fmt::format("{}: {}", where, name);
    const auto found = contents.tensors.find(name);
    if (found == contents.tensors.end()) return exact::fail("SP1005", place, "missing");
    if (found->second.shape != parameter.tensor_shape()) {
      return exact::fail("SP1005", place,
                         fmt::format("must have the shape [{}]; delete the file and start again",
                                     fmt::join(parameter.tensor_shape(), ", ")));
    }
    const auto values = output::float32_values(found->second, place);
    if (!values) return exact::fail("SP1005", place, values.error().what);
    for (std::size_t at = 0; at < values->size(); ++at) {
      if (!std::isfinite((*values)[at])) {
        return exact::fail(
            "SP1005", place,
            fmt::format("element {} is NaN or infinite; delete the file and start again", at));
      }
    }
    set_dense(parameter, *values, padded);
  }
  return padded;
}

exact::Result<void> require_same_run(const Options& options, const Metadata& found,
                                     const std::string& where) {
  const auto other = [&](const std::string& key, const std::string& had, const std::string& has) {
    return exact::fail("SP1004", fmt::format("{}: {}", where, key),
                       fmt::format("the interrupted run had {}, this one has {}; resume with the "
                                   "same options on the same instruction set, or start a new run",
                                   had.substr(0, 40), has));
  };
  const Metadata expected = sidecar_metadata(options, State{});
  for (const auto& [key, value] : found) {
    if (!expected.contains(key)) return other(key, value, "none");
  }
  for (const auto& [key, value] : expected) {
    if (key == "steps") continue;
    const auto entry = found.find(key);
    if (entry != found.end() && entry->second == value) continue;
    if (entry != found.end()) return other(key, entry->second, value);
    if (kOnlyIfNot0.contains(key)) return other(key, "none", value);
    return exact::fail("SP1005", fmt::format("{}: {}", where, key), "missing");
  }
  return {};
}

exact::Result<std::uint64_t> read_steps(const Metadata& metadata, const std::string& where) {
  const auto entry = metadata.find("steps");
  if (entry == metadata.end())
    return exact::fail("SP1005", where, "has no number of steps; delete it and start again");
  const std::string& text = entry->second;
  std::uint64_t steps = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return exact::fail("SP1005", where,
                       "has a number of steps that is not a number; delete it and start again");
  }
  return steps;
}

}  // namespace

std::filesystem::path resume_path(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  path += ".resume";
  return path;
}

std::map<std::string, std::string> run_metadata(const Options& options) {
  Metadata metadata = {{"attention", certificate::to_string(options.shape.attention)},
                       {"d_model", std::to_string(options.shape.d_model)},
                       {"num_heads", std::to_string(options.shape.heads)},
                       {"num_layers", std::to_string(options.shape.layers)},
                       {"seq_len", std::to_string(options.shape.length)},
                       {"residual", options.shape.residual ? "true" : "false"},
                       {"seed", std::to_string(options.seed)},
                       {"lr", fmt::format("{}", options.lr)}};
  if (options.weight_decay > 0) metadata["weight_decay"] = fmt::format("{}", options.weight_decay);
  if (options.bos_penalty > 0) metadata["bos_penalty"] = fmt::format("{}", options.bos_penalty);
  if (options.initial) {
    metadata["initial"] = options.initial->sha256;
    metadata["initial_deviation"] = fmt::format("{}", options.initial_deviation);
  }
  return metadata;
}

State initial_state(const Options& options) {
  const std::size_t floats = parameter_floats(options.shape);
  State state{0, AlignedFloats(floats), AlignedFloats(floats), AlignedFloats(floats)};
  const PhiloxKey key = {static_cast<std::uint32_t>(options.seed),
                         static_cast<std::uint32_t>(options.seed >> 32U)};
  std::array<double, 4> normal = {};
  std::size_t drawn = 0;  // one stream of numbers through all weights
  for (const Parameter& parameter : parameters(options.shape)) {
    std::vector<float> values(parameter.rows * parameter.cols);
    if (options.initial) values = options.initial->tensors.at(parameter.name);
    for (float& value : values) {
      if (parameter.bias) break;
      if (drawn % normal.size() == 0) normal = four_normals(drawn / normal.size(), key);
      const double noise = options.initial_deviation * normal[drawn % normal.size()];
      value = static_cast<float>(options.initial ? value + noise : noise);
      ++drawn;
    }
    set_dense(parameter, values, state.weights);
  }
  return state;
}

exact::Result<void> write_checkpoint(const Options& options, const State& state,
                                     double batch_linf) {
  safetensors::Contents contents;
  contents.metadata = run_metadata(options, state);
  contents.metadata["final_batch_linf"] = fmt::format("{}", static_cast<float>(batch_linf));
  add_tensors(options.shape, state.weights, "", contents);
  return output::write(options.output, contents);
}

exact::Result<void> write_sidecar(const Options& options, const State& state) {
  safetensors::Contents contents;
  contents.metadata = sidecar_metadata(options, state);
  add_tensors(options.shape, state.weights, "", contents);
  add_tensors(options.shape, state.first, "adam.first.", contents);
  add_tensors(options.shape, state.second, "adam.second.", contents);
  return output::write(resume_path(options.output), contents);
}

exact::Result<State> read_sidecar(const Options& options) {
  const std::filesystem::path path = resume_path(options.output);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return exact::fail("SP1003", path.string(),
                       "does not exist, so there is nothing to resume; run again without --resume");
  }
  const auto contents = safetensors::read(path);
  if (!contents) return exact::fail("SP1005", path.string(), contents.error().what);
  const auto same = require_same_run(options, contents->metadata, path.string());
  if (!same) return tl::unexpected(same.error());
  const auto steps = read_steps(contents->metadata, path.string());
  if (!steps) return tl::unexpected(steps.error());
  auto weights = read_tensors(options.shape, *contents, "", path.string());
  if (!weights) return tl::unexpected(weights.error());
  auto first = read_tensors(options.shape, *contents, "adam.first.", path.string());
  if (!first) return tl::unexpected(first.error());
  auto second = read_tensors(options.shape, *contents, "adam.second.", path.string());
  if (!second) return tl::unexpected(second.error());
  return State{*steps, std::move(*weights), std::move(*first), std::move(*second)};
}

exact::Result<void> remove_sidecar(const Options& options) {
  std::error_code failure;
  std::filesystem::remove(resume_path(options.output), failure);
  if (failure) {
    return exact::fail("SP1007", resume_path(options.output).string(),
                       "cannot be removed, although the run is complete: " + failure.message());
  }
  return {};
}

}  // namespace sinkproof::train
