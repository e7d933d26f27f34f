#include "language/model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "certificate/strict.hpp"

namespace sinkproof::language {
namespace {

using safetensors::View;

// What files hold beside parameters: masks and tables that follow from config.json.
constexpr std::string_view kBuffers[] = {"attn.bias", "attn.masked_bias", "attention.bias",
                                         "attention.masked_bias", "rotary_emb.inv_freq"};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(extent);
  }
  return text + "]";
}

class Reader {
 public:
  Reader(const Config& config, const Tensors& tensors, std::string where)
      : config_(config), table_(*config.architecture), tensors_(tensors), where_(std::move(where)) {
    find_prefix();
  }

  Model model() {
    Model model;
    model.config = config_;
    const std::size_t n = config_.width;
    model.token = table_of(table_.token, n);
    if (!table_.position.empty()) model.position = table_of(table_.position, n);
    if (!table_.token_type.empty()) model.token_type = table_of(table_.token_type, n);
    if (!table_.embedding_norm.empty()) model.embedding_norm = norm(table_.embedding_norm, n);
    for (std::size_t l = 0; l < config_.layers; ++l) model.layers.push_back(layer(l));
    at_ = prefix_;
    if (!table_.final_norm.empty()) model.final_norm = norm(table_.final_norm, n);
    model.head = head(*model.token);
    refuse_unread();
    if (model.position != nullptr && model.position->shape[0] <= table_.position_offset) {
      refuse(std::string(table_.position), "has no positions");
    }
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    throw certificate::Rejected{{"SP2003", where_, "tensor " + name + " " + what}};
  }

  void find_prefix() {
    for (const std::string_view prefix : table_.prefixes) {
      if (tensors_.contains(std::string(prefix) + std::string(table_.token))) {
        prefix_ = at_ = prefix;
        return;
      }
    }
    refuse(std::string(table_.token), "is missing (with or without a prefix)");
  }

  const View* find(const std::string& name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return nullptr;
    if (found->second.dtype == safetensors::Dtype::kOther) {
      refuse(name, "is of dtype " + found->second.dtype_name + ", not F64, F32, F16 or BF16");
    }
    read_.insert(name);
    return &found->second;
  }

  const View* need(const std::string& name, const std::vector<std::uint64_t>& shape) {
    const View* view = find(name);
    if (view == nullptr) refuse(name, "is missing");
    if (view->shape != shape) {
      refuse(name, "has shape " + shape_text(view->shape) + ", not " + shape_text(shape));
    }
    return view;
  }

  // [any, n].
  const View* table_of(std::string_view ending, std::size_t n) {
    const std::string name = at_ + std::string(ending);
    const View* view = find(name);
    if (view == nullptr) refuse(name, "is missing");
    if (view->shape.size() != 2 || view->shape[1] != n || view->shape[0] == 0) {
      refuse(name,
             "has shape " + shape_text(view->shape) + ", not [.., " + std::to_string(n) + "]");
    }
    return view;
  }

  NormWeights norm(std::string_view ending, std::size_t n) {
    const std::string name = at_ + std::string(ending);
    NormWeights weights;
    weights.weight = need(name + ".weight", {n});
    if (table_.norm == Norm::kLayer) weights.bias = need(name + ".bias", {n});
    return weights;
  }

  Map map(const MapName& name, std::size_t out, std::size_t in) {
    const std::size_t whole = out * name.parts;
    const std::string start = at_ + std::string(name.name);
    const bool in_first = table_.in_first;
    Map result{.weight = need(start + ".weight", in_first ? std::vector<std::uint64_t>{in, whole}
                                                          : std::vector<std::uint64_t>{whole, in}),
               .out = out,
               .in = in,
               .in_first = in_first};
    if (tensors_.contains(start + ".bias")) result.bias = need(start + ".bias", {whole});
    const std::size_t group = name.by_head ? config_.head_width : out;
    result.group = group;
    result.stride = group * name.parts;
    result.offset = group * name.part;
    return result;
  }

  Layer layer(std::size_t number) {
    std::string start(table_.layer);
    start.replace(start.find("{}"), 2, std::to_string(number));
    at_ = prefix_ + start;
    const std::size_t n = config_.width;
    const std::size_t wide = config_.heads * config_.head_width;
    const std::size_t keys = config_.key_heads * config_.head_width;
    Layer layer;
    layer.attention_norm = norm(table_.attention_norm, n);
    layer.query = map(table_.query, wide, n);
    layer.key = map(table_.key, keys, n);
    layer.value = map(table_.value, keys, n);
    layer.output = map(table_.output, n, wide);
    if (!table_.query_norm.empty()) layer.query_norm = norm(table_.query_norm, config_.head_width);
    if (!table_.key_norm.empty()) layer.key_norm = norm(table_.key_norm, config_.head_width);
    if (config_.kind().sinks) layer.sinks = need(at_ + std::string(table_.sinks), {config_.heads});
    if (config_.kind().gated) layer.gate = gate();
    read_mlp(layer);
    return layer;
  }

  Map gate() {
    const std::string start = at_ + std::string(table_.gate);
    return {.weight = need(start + ".weight", {config_.heads, config_.width}),
            .bias = need(start + ".bias", {config_.heads}),
            .out = config_.heads,
            .in = config_.width};
  }

  // A stack of attention alone has none, in any layer.
  void read_mlp(Layer& layer) {
    const MlpNames& names = table_.mlp;
    if (!table_.no_mlp.empty()) {
      for (const auto& [name, view] : tensors_) {
        if (name.starts_with(at_ + std::string(table_.no_mlp))) {
          refuse(name,
                 "belongs to experts, which are not computed; a file without mlp.experts is "
                 "read as attention alone");
        }
      }
      if (!tensors_.contains(at_ + std::string(names.in.name) + ".weight")) {
        for (const std::string_view name : table_.idle) idle_.insert(at_ + std::string(name));
        return;
      }
    }
    const View* weight = find(at_ + std::string(names.in.name) + ".weight");
    const std::size_t inner =
        weight == nullptr || weight->shape.size() != 2 ? 0 : weight->shape[table_.in_first ? 1 : 0];
    if (inner == 0) {
      refuse(at_ + std::string(names.in.name) + ".weight", "is missing, no matrix or empty");
    }
    const std::size_t n = config_.width;
    layer.mlp_norm = norm(table_.mlp_norm, n);
    layer.mlp_in = map(names.in, inner, n);
    if (!names.gate.name.empty()) layer.mlp_gate = map(names.gate, inner, n);
    layer.mlp_out = map(names.out, n, inner);
  }

  std::optional<Map> head(const View& token) {
    if (table_.head.empty()) return std::nullopt;
    const std::size_t n = config_.width;
    const std::string name(table_.head);
    if (!config_.tied && !tensors_.contains(name)) return std::nullopt;
    const View* weight = config_.tied ? &token : need(name, {token.shape[0], n});
    return Map{.weight = weight, .out = token.shape[0], .in = n};
  }

  void refuse_unread() const {
    const std::string layers =
        prefix_ + std::string(table_.layer.substr(0, table_.layer.find('{')));
    for (const auto& [name, view] : tensors_) {
      if (read_.contains(name) || idle_.contains(name)) continue;
      const bool buffer =
          std::any_of(std::begin(kBuffers), std::end(kBuffers),
                      [&name = name](std::string_view end) { return name.ends_with(end); });
      if (!buffer && name.starts_with(layers)) {
        refuse(name, "is in a layer and no part of what is computed");
      }
    }
  }

  const Config& config_;
  const Architecture& table_;
  const Tensors& tensors_;
  std::string where_;
  std::string prefix_;
  std::string at_;  // prefix of the names that follow
  std::set<std::string> read_;
  std::set<std::string> idle_;
};

}  // namespace

std::optional<std::size_t> Model::positions() const {
  if (position == nullptr) return std::nullopt;
  return position->shape[0] - config.architecture->position_offset;
}

Model read_model(const Config& config, const Tensors& tensors, const std::string& where) {
  return Reader(config, tensors, where).model();
}

}  // namespace sinkproof::language
