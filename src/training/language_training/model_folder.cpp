#include "language_training/model_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "language_training/format.hpp"
#include "language_training/plan.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::language_training {
namespace {

using language::Architecture;
using language::Biases;
using language::MapName;

struct Values {
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

// Columns of a matrix of ours, [in][columns].
struct Columns {
  const float* first;
  std::size_t in;
  std::size_t out;
  std::size_t stride;
};

// The tensors of an architecture, by their names in its files.
class Writer {
 public:
  Writer(const Decoder& decoder, const Architecture& table, const json::Value& config,
         const float* weights)
      : decoder_(decoder), table_(table), config_(config), plan_(decoder), weights_(weights) {}

  std::map<std::string, Values> tensors() {
    const std::size_t width = decoder_.width;
    const Layout& at = plan_.layout;
    matrix(table_.token, decoder_.vocabulary(), width, weights_ + at.tokens);
    if (!table_.position.empty()) positions();
    for (std::size_t l = 0; l < decoder_.layers; ++l) layer(l);
    at_ = "";
    if (!decoder_.norm_place.after) norm(table_.final_norm, at.norm);
    tensors_[std::string(table_.head)] = {
        {decoder_.vocabulary(), width},
        {weights_ + at.head, weights_ + at.head + decoder_.vocabulary() * width}};
    return std::move(tensors_);
  }

 private:
  // Zeros, where it is not there yet.
  std::vector<float>& values(std::string_view ending, std::vector<std::uint64_t> shape) {
    Values& tensor = tensors_[std::string(table_.prefixes.front()) + at_ + std::string(ending)];
    std::size_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    tensor.shape = std::move(shape);
    tensor.values.resize(count);
    return tensor.values;
  }

  void matrix(std::string_view ending, std::size_t rows, std::size_t cols, const float* from) {
    std::copy_n(from, rows * cols, values(ending, {rows, cols}).data());
  }

  void vector(const std::string& ending, std::size_t count, const float* from) {
    std::copy_n(from, count, values(ending, {count}).data());
  }

  void positions() {
    const std::size_t before = table_.position_offset;
    auto& rows = values(table_.position, {before + decoder_.length, decoder_.width});
    float* const to = rows.data() + before * decoder_.width;
    if (decoder_.positions.added == Added::kLearned) {
      std::copy_n(weights_ + plan_.layout.positions, decoder_.length * decoder_.width, to);
    }
    std::copy(plan_.sinusoids.begin(), plan_.sinusoids.end(), to);
  }

  void norm(std::string_view ending, const NormLayout& at) {
    vector(std::string(ending) + ".weight", decoder_.width, weights_ + at.weight);
    if (decoder_.norm.centred) {
      vector(std::string(ending) + ".bias", decoder_.width, weights_ + at.bias);
    }
  }

  void map(const MapName& name, const Columns& from, const Biases& biases,
           const float* bias = nullptr) {
    const std::string start(name.name);
    const std::size_t whole = from.out * name.parts;
    const std::size_t group = name.by_head ? decoder_.head_width() : from.out;
    const auto row_of = [&](std::size_t out) {
      return (out / group * name.parts + name.part) * group + out % group;
    };
    const bool in_first = table_.in_first;
    auto& weight = values(start + ".weight", in_first ? std::vector<std::uint64_t>{from.in, whole}
                                                      : std::vector<std::uint64_t>{whole, from.in});
    for (std::size_t out = 0; out < from.out; ++out) {
      const std::size_t row = row_of(out);
      for (std::size_t in = 0; in < from.in; ++in) {
        weight[in_first ? in * whole + row : row * from.in + in] =
            from.first[in * from.stride + out];
      }
    }
    const std::string key(biases.key);
    if (!(key.empty() ? biases.usual : config_.at(key).get<bool>())) return;
    auto& all = values(start + ".bias", {whole});
    if (bias == nullptr) return;
    for (std::size_t out = 0; out < from.out; ++out) all[row_of(out)] = bias[out];
  }

  void layer(std::size_t number) {
    const LayerLayout& at = plan_.layout.layers[number];
    const bool after = decoder_.norm_place.after;
    const std::size_t width = decoder_.width;
    at_ = table_.layer;
    at_.replace(at_.find("{}"), 2, std::to_string(number));
    norm(table_.attention_norm, after ? at.middle : at.outer);
    norm(table_.mlp_norm, after ? at.outer : at.middle);
    const float* const value_bias = decoder_.kind.value_bias ? weights_ + at.value_bias : nullptr;
    const auto third = [&](std::size_t part) {
      return Columns{weights_ + at.attention + part * width, width, width, 3 * width};
    };
    map(table_.query, third(0), table_.attention_biases);
    map(table_.key, third(1), table_.attention_biases);
    map(table_.value, third(2), table_.attention_biases, value_bias);
    map(table_.output, {weights_ + at.attention_out, width, width, width}, table_.output_biases);
    if (decoder_.kind.slot == Slot::kLogit) {
      vector(std::string(table_.sinks), decoder_.heads, weights_ + at.sinks);
    }
    if (decoder_.kind.gated) {
      const std::string gate(table_.gate);
      matrix(gate + ".weight", decoder_.heads, width, weights_ + at.gate);
      vector(gate + ".bias", decoder_.heads, weights_ + at.gate_bias);
    }
    mlp(at);
  }

  void mlp(const LayerLayout& at) {
    const std::size_t hidden = decoder_.hidden();
    const std::size_t wide = decoder_.wide();
    const float* const in = weights_ + at.mlp_in;
    if (decoder_.mlp.gated) {
      map(table_.mlp.gate, {in, decoder_.width, hidden, wide}, table_.mlp_biases);
    }
    map(table_.mlp.in, {in + wide - hidden, decoder_.width, hidden, wide}, table_.mlp_biases);
    map(table_.mlp.out, {weights_ + at.mlp_out, hidden, decoder_.width, decoder_.width},
        table_.mlp_biases);
  }

  const Decoder& decoder_;
  const Architecture& table_;
  const json::Value& config_;
  Plan plan_;
  const float* weights_;
  std::string at_;  // prefix of the names that follow, behind the architecture's
  std::map<std::string, Values> tensors_;
};

std::map<std::string, Values> own_tensors(const Decoder& decoder, const float* weights) {
  std::map<std::string, Values> tensors;
  for (const Parameter& parameter : parameters(decoder)) {
    const float* const from = weights + parameter.at;
    tensors[parameter.name] = {parameter.shape, {from, from + parameter.count()}};
  }
  const Plan plan(decoder);
  if (!plan.sinusoids.empty()) {
    tensors["wpe.weight"] = {{decoder.length, decoder.width}, plan.sinusoids};
  }
  for (std::size_t l = 0; !plan.slot_value.empty() && l < decoder.layers; ++l) {
    tensors[fmt::format("h.{}.attn.bias_v", l)] = {{decoder.width}, plan.slot_value};
  }
  return tensors;
}

// Scaled rows of attention weights times a matrix are rows times the scaled matrix.
std::vector<float> with_scale(const Decoder& decoder, const float* weights) {
  std::vector<float> result(weights, weights + layout(decoder).floats);
  for (const Parameter& parameter : parameters(decoder)) {
    if (!parameter.name.ends_with("attn.c_proj.weight")) continue;
    for (std::size_t n = 0; n < parameter.count(); ++n) {
      result[parameter.at + n] *= static_cast<float>(decoder.scale);
    }
  }
  return result;
}

}  // namespace

exact::Result<void> write_model(const Decoder& decoder, const float* weights,
                                const std::filesystem::path& folder) {
  const Format format = format_of(decoder);
  const json::Value config = config_of(decoder);
  const std::vector<float> stored = with_scale(decoder, weights);
  safetensors::Contents contents;
  contents.metadata["format"] = "pt";
  for (const auto& [name, tensor] :
       format.is_own() ? own_tensors(decoder, stored.data())
                       : Writer(decoder, *format.architecture, config, stored.data()).tensors()) {
    contents.tensors[name] = output::float32_tensor(tensor.shape, tensor.values);
  }
  auto written = output::replace(folder / "config.json", config.dump(2) + "\n");
  if (!written) return written;
  return output::write(folder / "model.safetensors", contents);
}

}  // namespace sinkproof::language_training
