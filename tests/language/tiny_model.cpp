#include "tiny_model.hpp"

#include <random>

#include "certificate/strict.hpp"
#include "output/safetensors.hpp"

namespace sinkproof {
namespace {

using language::Architecture;
using language::Biases;
using language::MapName;
using language::Norm;

class Writer {
 public:
  Writer(const Architecture& table, const json::Value& config, std::uint64_t seed)
      : table_(table), config_(config), random_(seed), at_(table.prefixes.front()) {}

  std::map<std::string, safetensors::Tensor> all() {
    const std::size_t n = kTinyWidth;
    add(table_.token, {kTinyTokens, n});
    if (!table_.position.empty()) {
      add(table_.position, {kTinyPositions + table_.position_offset, n});
    }
    if (!table_.token_type.empty()) add(table_.token_type, {2, n});
    if (!table_.embedding_norm.empty()) norm(table_.embedding_norm, n);
    const std::size_t layers = config_[std::string(table_.layers)];
    for (std::size_t l = 0; l < layers; ++l) layer(l);
    at_ = table_.prefixes.front();
    if (!table_.final_norm.empty()) norm(table_.final_norm, n);
    at_.clear();
    if (!table_.head.empty()) add(table_.head, {kTinyTokens, n});
    if (is_biased(table_.head_biases)) add(table_.head_bias, {kTinyTokens});
    return std::move(tensors_);
  }

 private:
  void add(std::string_view name, std::vector<std::uint64_t> shape, double about = 0) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    std::normal_distribution<float> normal(static_cast<float>(about), .5F);
    std::vector<float> values(count);
    for (float& value : values) value = normal(random_);
    tensors_[at_ + std::string(name)] = output::float32_tensor(std::move(shape), values);
  }

  void norm(std::string_view name, std::size_t n) {
    if (table_.norm == Norm::kNone) return;
    add(std::string(name) + ".weight", {n}, 1);
    if (table_.norm == Norm::kLayer) add(std::string(name) + ".bias", {n});
  }

  [[nodiscard]] bool is_biased(const Biases& biases) const {
    return biases.key.empty() ? biases.usual : config_.value(std::string(biases.key), biases.usual);
  }

  // Once of a tensor that holds several.
  void map(const MapName& name, const Biases& biases, std::size_t out, std::size_t in) {
    if (name.part != 0) return;
    const std::size_t whole = out * name.parts;
    const std::string start(name.name);
    add(start + ".weight", table_.in_first ? std::vector<std::uint64_t>{in, whole}
                                           : std::vector<std::uint64_t>{whole, in});
    if (is_biased(biases)) add(start + ".bias", {whole});
  }

  [[nodiscard]] std::size_t heads(std::string_view key) const {
    return config_.value(std::string(key), std::size_t{2});
  }

  void layer(std::size_t l) {
    std::string start(table_.layer);
    start.replace(start.find("{}"), 2, std::to_string(l));
    at_ = std::string(table_.prefixes.front()) + start;
    const std::size_t n = kTinyWidth;
    const std::size_t width = config_.value("head_dim", n / 2);
    norm(table_.attention_norm, n);
    norm(table_.mlp_norm, n);
    map(table_.query, table_.attention_biases, 2 * width, n);
    map(table_.key, table_.attention_biases, heads(table_.key_heads) * width, n);
    map(table_.value, table_.attention_biases, heads(table_.key_heads) * width, n);
    map(table_.output, table_.output_biases, n, 2 * width);
    if (!table_.query_norm.empty()) norm(table_.query_norm, width);
    if (!table_.key_norm.empty()) norm(table_.key_norm, width);
    const std::string kind =
        config_.value(std::string(table_.attention), std::string(table_.default_attention));
    if (kind == "softmax-sink") add(table_.sinks, {2});
    if (kind == "softmax-gated") {
      add(std::string(table_.gate) + ".weight", {2, n});
      add(std::string(table_.gate) + ".bias", {2});
    }
    if (table_.may_lack_mlp && !config_.contains(table_.inner)) return;
    map(table_.mlp.in, table_.mlp_biases, 5, n);
    if (!table_.mlp.gate.name.empty()) map(table_.mlp.gate, table_.mlp_biases, 5, n);
    map(table_.mlp.out, table_.mlp_biases, n, 5);
  }

  const Architecture& table_;
  const json::Value& config_;
  std::mt19937_64 random_;
  std::string at_;
  std::map<std::string, safetensors::Tensor> tensors_;
};

}  // namespace

TinyModel tiny_model(const std::string& model_type, const json::Value& keys, std::uint64_t seed) {
  const Architecture& table = *language::find_architecture(model_type);
  TinyModel tiny;
  tiny.config = {{"model_type", model_type},
                 {std::string(table.width), kTinyWidth},
                 {std::string(table.layers), 2},
                 {std::string(table.heads), 2}};
  if (!table.rotary_share.empty()) tiny.config[std::string(table.rotary_share)] = .5;
  if (table.default_rotary_base.empty()) tiny.config[std::string(table.rotary_base)] = 100;
  if (!table.head.empty()) tiny.config["tie_word_embeddings"] = false;
  for (const std::string_view needed : table.needed) {
    json::Value& value = tiny.config[std::string(needed)];
    if (needed == table.key_heads) value = 2;
    if (needed == table.head_width) value = kTinyWidth / 2;
  }
  if (table.needs_rotary_scaling) tiny.config["rope_scaling"] = {{"rope_type", "default"}};
  tiny.config.update(keys);
  tiny.kept = Writer(table, tiny.config, seed).all();
  return tiny;
}

exact::Result<language::Config> TinyModel::read_config() const {
  return certificate::result_of(
      [&] { return language::read_config(config.dump(), "config.json"); });
}

exact::Result<language::Model> TinyModel::read() {
  const auto read = read_config();
  if (!read) return tl::unexpected(read.error());
  views_.clear();
  for (const auto& [name, tensor] : kept) {
    views_[name] = {tensor.dtype, tensor.dtype_name, tensor.shape, tensor.bytes};
  }
  return certificate::result_of([&] { return language::read_model(*read, views_, "model"); });
}

}  // namespace sinkproof
