#include "train/state.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <system_error>
#include <utility>

#include "safetensors/safetensors.hpp"
#include "train/kernels.hpp"
#include "train/philox.hpp"
#include "train/step.hpp"

namespace sinkproof::train {
namespace {

constexpr std::array<const char*, kWeightMatrices> kNames = {"W_Q.weight", "W_K.weight",
                                                             "W_V.weight", "W_O.weight"};
using Metadata = std::map<std::string, std::string>;

// Separates the initial weights from the samples in Philox's counters.
constexpr std::uint32_t kInitialWeights = 1;

// Two independent standard normal numbers from two words.
std::pair<double, double> box_muller(std::uint32_t a, std::uint32_t b) {
  const double radius = std::sqrt(-2.0 * std::log((a + 0.5) * 0x1p-32));
  const double angle = 2.0 * std::numbers::pi * (b + 0.5) * 0x1p-32;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// What the checkpoint and the sidecar both say of the run.
Metadata run_metadata(const Options& options, const State& state) {
  return {{"attention", options.shape.attention == Attention::kSoftmax ? "softmax" : "relu"},
          {"d_model", std::to_string(options.shape.d_model)},
          {"num_heads", "1"},
          {"num_layers", "1"},
          {"seq_len", std::to_string(options.shape.length)},
          {"residual", "false"},
          {"seed", std::to_string(options.seed)},
          {"lr", fmt::format("{}", options.lr)},
          {"steps", std::to_string(state.steps)},
          {"target", kernel_target()}};
}

Metadata sidecar_metadata(const Options& options, const State& state) {
  Metadata metadata = run_metadata(options, state);
  metadata["batch"] = std::to_string(options.batch);
  metadata["initial_deviation"] = fmt::format("{}", options.initial_deviation);
  return metadata;
}

void add_matrices(std::size_t n, const AlignedFloats& padded, const std::string& prefix,
                  safetensors::Contents& contents) {
  for (std::size_t which = 0; which < kWeightMatrices; ++which) {
    contents.tensors[prefix + kNames[which]] =
        safetensors::float32_tensor({n, n}, dense_matrix(n, padded, which));
  }
}

exact::Result<AlignedFloats> read_matrices(std::size_t n, const safetensors::Contents& contents,
                                           const std::string& prefix, const std::string& where) {
  AlignedFloats padded(weight_floats(n));
  for (std::size_t which = 0; which < kWeightMatrices; ++which) {
    const std::string name = prefix + kNames[which];
    const std::string place = fmt::format("{}: {}", where, name);
    const auto found = contents.tensors.find(name);
    if (found == contents.tensors.end()) return exact::fail("SP1005", place, "missing");
    if (found->second.shape != std::vector<std::uint64_t>{n, n}) {
      return exact::fail("SP1005", place, fmt::format("its shape must be [{}, {}]", n, n));
    }
    const auto values = safetensors::float32_values(found->second, place);
    if (!values) return exact::fail("SP1005", place, values.error().what);
    for (std::size_t at = 0; at < n * n; ++at) {
      if (!std::isfinite((*values)[at])) {
        return exact::fail("SP1005", place, fmt::format("element {} is NaN or infinite", at));
      }
      padded.data()[(which * n + at / n) * row_stride(n) + at % n] = (*values)[at];
    }
  }
  return padded;
}

exact::Result<void> require_same_run(const Options& options, const Metadata& found,
                                     const std::string& where) {
  for (const auto& [key, value] : sidecar_metadata(options, State{})) {
    if (key == "steps") continue;
    const auto entry = found.find(key);
    if (entry == found.end()) {
      return exact::fail("SP1005", fmt::format("{}: {}", where, key), "missing");
    }
    if (entry->second != value) {
      return exact::fail("SP1004", fmt::format("{}: {}", where, key),
                         fmt::format("the interrupted run had {}, this one has {}; resume with the "
                                     "same options on the same instruction set, or start afresh",
                                     entry->second.substr(0, 40), value));
    }
  }
  return {};
}

exact::Result<std::uint64_t> read_steps(const Metadata& metadata, const std::string& where) {
  const auto entry = metadata.find("steps");
  if (entry == metadata.end()) return exact::fail("SP1005", where, "says no number of steps");
  const std::string& text = entry->second;
  std::uint64_t steps = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return exact::fail("SP1005", where, "its steps are not a number");
  }
  return steps;
}

}  // namespace

std::filesystem::path resume_path(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  path += ".resume";
  return path;
}

State initial_state(const Options& options) {
  const std::size_t n = options.shape.d_model;
  State state{0, AlignedFloats(weight_floats(n)), AlignedFloats(weight_floats(n)),
              AlignedFloats(weight_floats(n))};
  const PhiloxKey key = {static_cast<std::uint32_t>(options.seed),
                         static_cast<std::uint32_t>(options.seed >> 32U)};
  const std::size_t count = kWeightMatrices * n * n;
  for (std::size_t block = 0; 4 * block < count; ++block) {
    const PhiloxCounter words =
        philox4x32({static_cast<std::uint32_t>(block), 0, 0, kInitialWeights}, key);
    const auto [a, b] = box_muller(words[0], words[1]);
    const auto [c, d] = box_muller(words[2], words[3]);
    const std::array<double, 4> normal = {a, b, c, d};
    for (std::size_t i = 0; i < normal.size(); ++i) {
      const std::size_t at = 4 * block + i;  // count is a multiple of 4
      state.weights.data()[at / n * row_stride(n) + at % n] =
          static_cast<float>(options.initial_deviation * normal[i]);
    }
  }
  return state;
}

std::vector<float> dense_matrix(std::size_t n, const AlignedFloats& padded, std::size_t which) {
  std::vector<float> dense(n * n);
  for (std::size_t at = 0; at < n * n; ++at) {
    dense[at] = padded.data()[(which * n + at / n) * row_stride(n) + at % n];
  }
  return dense;
}

exact::Result<void> write_checkpoint(const Options& options, const State& state,
                                     double batch_linf) {
  safetensors::Contents contents;
  contents.metadata = run_metadata(options, state);
  contents.metadata["final_batch_linf"] = fmt::format("{}", static_cast<float>(batch_linf));
  add_matrices(options.shape.d_model, state.weights, "", contents);
  return safetensors::write(options.output, contents);
}

exact::Result<void> write_sidecar(const Options& options, const State& state) {
  const std::size_t n = options.shape.d_model;
  safetensors::Contents contents;
  contents.metadata = sidecar_metadata(options, state);
  add_matrices(n, state.weights, "", contents);
  add_matrices(n, state.first, "adam.first.", contents);
  add_matrices(n, state.second, "adam.second.", contents);
  return safetensors::write(resume_path(options.output), contents);
}

exact::Result<State> read_sidecar(const Options& options) {
  const std::size_t n = options.shape.d_model;
  const std::filesystem::path path = resume_path(options.output);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return exact::fail("SP1003", path.string(),
                       "nothing to resume: the run was completed or never begun");
  }
  const auto contents = safetensors::read(path);
  if (!contents) return exact::fail("SP1005", path.string(), contents.error().what);
  const auto same = require_same_run(options, contents->metadata, path.string());
  if (!same) return tl::unexpected(same.error());
  const auto steps = read_steps(contents->metadata, path.string());
  if (!steps) return tl::unexpected(steps.error());
  auto weights = read_matrices(n, *contents, "", path.string());
  if (!weights) return tl::unexpected(weights.error());
  auto first = read_matrices(n, *contents, "adam.first.", path.string());
  if (!first) return tl::unexpected(first.error());
  auto second = read_matrices(n, *contents, "adam.second.", path.string());
  if (!second) return tl::unexpected(second.error());
  return State{*steps, std::move(*weights), std::move(*first), std::move(*second)};
}

exact::Result<void> remove_sidecar(const Options& options) {
  std::error_code failure;
  std::filesystem::remove(resume_path(options.output), failure);
  if (failure) {
    return exact::fail(
        "SP1007", resume_path(options.output).string(),
        "the run is complete, but this file cannot be removed: " + failure.message());
  }
  return {};
}

}  // namespace sinkproof::train
