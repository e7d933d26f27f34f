#include "language/model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "certificate/strict.hpp"
#include "json/visible.hpp"
#include "safetensors/finite.hpp"

namespace sinkproof::language {
namespace {

using safetensors::View;

constexpr std::string_view kOtherWeights =
    "config.json belongs to other weights; copy both again from one source";

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
    model.token = table_of(table_.token, config_.token_width, config_.vocabulary);
    if (!table_.position.empty()) {
      model.position = table_of(table_.position, n, config_.positions, table_.position_offset);
    }
    if (!table_.token_type.empty()) {
      model.token_type = table_of(table_.token_type, n, config_.types);
    }
    if (config_.token_width != n) {
      model.project_in = map(table_.project_in, n, config_.token_width, {"", false});
      model.project_out = map(table_.project_out, config_.token_width, n, {"", false});
    }
    if (!table_.embedding_norm.empty()) model.embedding_norm = norm(table_.embedding_norm, n);
    for (std::size_t l = 0; l < config_.layers; ++l) model.layers.push_back(layer(l));
    at_ = prefix_;
    if (config_.final_norm && !table_.final_norm.empty()) {
      model.final_norm = norm(table_.final_norm, n);
    }
    model.head = head(*model.token);
    for (const std::string_view name : table_.model_buffers) read_.insert(at_ + std::string(name));
    refuse_unread();
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& what,
                           std::string_view action = kOtherWeights) const {
    throw certificate::Rejected{
        {"SP2003", where_,
         "tensor " + json::shown_key(name) + " " + what + "; " + std::string(action)}};
  }

  [[noreturn]] void contradicts(std::string_view key, const std::string& what) const {
    refuse_key(where_, key, what, kOtherWeights);
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
      refuse(name, "is of dtype " + found->second.dtype_name + ", not F64, F32, F16 or BF16",
             "save the model again in one of these");
    }
    if (const auto at = safetensors::first_not_finite(found->second)) {
      throw certificate::Rejected{
          {"SP0405", where_,
           "tensor " + json::shown_key(name) + ": element " + std::to_string(*at) +
               " is NaN or infinite; use a checkpoint from before training diverged"}};
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

  void require_size(const StatedSize& stated, std::uint64_t size, const std::string& tensor) const {
    if (stated.size && *stated.size != size) {
      contradicts(stated.key, "is " + std::to_string(*stated.size) + ", but by tensor " + tensor +
                                  " it is " + std::to_string(size));
    }
  }

  // [before + what is stated, n].
  const View* table_of(std::string_view ending, std::size_t n, const StatedSize& stated,
                       unsigned before = 0) {
    const std::string name = at_ + std::string(ending);
    const View* view = find(name);
    if (view == nullptr) refuse(name, "is missing");
    if (view->shape.size() != 2 || view->shape[1] != n || view->shape[0] <= before) {
      refuse(name,
             "has shape " + shape_text(view->shape) + ", not [.., " + std::to_string(n) + "]");
    }
    require_size(stated, view->shape[0] - before, name);
    return view;
  }

  NormWeights norm(std::string_view ending, std::size_t n) {
    const std::string name = at_ + std::string(ending);
    NormWeights weights;
    if (table_.norm == Norm::kNone) return weights;
    if (!config_.norm_weights) {
      require_bias({table_.norm_weights, true}, false, name + ".weight");
      return weights;
    }
    const bool old = table_.old_norms && !tensors_.contains(name + ".weight");
    weights.weight = need(name + (old ? ".gamma" : ".weight"), {n});
    if (table_.norm == Norm::kLayer) weights.bias = need(name + (old ? ".beta" : ".bias"), {n});
    return weights;
  }

  // A tensor that a key decides on is there where it should be.
  void require_bias(const Biases& biases, bool wanted, const std::string& name) const {
    if (biases.key.empty() || tensors_.contains(name) == wanted) return;
    contradicts(biases.key, "by it, or by its default, tensor " + name +
                                (wanted ? " must be there, but it is missing"
                                        : " must not be there, but the files hold it"));
  }

  Map map(const MapName& name, std::size_t out, std::size_t in, const Biases& biases) {
    const std::size_t whole = out * name.parts;
    const std::string start = at_ + std::string(name.name);
    const bool in_first = table_.in_first;
    Map result{.weight = need(start + ".weight", in_first ? std::vector<std::uint64_t>{in, whole}
                                                          : std::vector<std::uint64_t>{whole, in}),
               .out = out,
               .in = in,
               .in_first = in_first};
    require_bias(biases, biases.usual, start + ".bias");
    if (biases.usual) result.bias = need(start + ".bias", {whole});
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
    const Biases biases{table_.attention_biases.key, config_.attention_biases};
    layer.query = map(table_.query, wide, n, biases);
    layer.key = map(table_.key, keys, n, biases);
    layer.value = map(table_.value, keys, n, biases);
    layer.output = map(table_.output, n, wide, {table_.output_biases.key, config_.output_biases});
    for (const std::string_view name : table_.layer_buffers) read_.insert(at_ + std::string(name));
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
    if (table_.may_lack_mlp && !config_.inner.size) return;  // tensors of one are refused as unread
    if (!table_.no_mlp.empty()) {
      for (const auto& [name, view] : tensors_) {
        if (name.starts_with(at_ + std::string(table_.no_mlp))) {
          refuse(name, "belongs to experts, which are not supported",
                 "to read the model as attention alone, which every verdict then states, save it "
                 "without the tensors of mlp.experts");
        }
      }
      if (!tensors_.contains(at_ + std::string(names.in.name) + ".weight")) {
        for (const std::string_view name : table_.idle) read_.insert(at_ + std::string(name));
        return;
      }
      if (!config_.expert_key.empty()) {
        contradicts(config_.expert_key, "describes experts, but the files hold tensor " + at_ +
                                            std::string(names.in.name) + ".weight of one MLP");
      }
    }
    const View* weight = find(at_ + std::string(names.in.name) + ".weight");
    const std::size_t inner =
        weight == nullptr || weight->shape.size() != 2 ? 0 : weight->shape[table_.in_first ? 1 : 0];
    if (inner == 0) {
      refuse(at_ + std::string(names.in.name) + ".weight", "is missing, empty or not a matrix");
    }
    const std::size_t n = config_.width;
    layer.mlp_norm = norm(table_.mlp_norm, n);
    require_size(config_.inner, inner, at_ + std::string(names.in.name) + ".weight");
    const Biases biases{table_.mlp_biases.key, config_.mlp_biases};
    layer.mlp_in = map(names.in, inner, n, biases);
    if (!names.gate.name.empty()) layer.mlp_gate = map(names.gate, inner, n, biases);
    layer.mlp_out = map(names.out, n, inner, biases);
  }

  std::optional<Map> head(const View& token) {
    if (table_.head.empty()) return std::nullopt;
    const std::string name(table_.head);
    const View* weight = tensors_.contains(name) ? need(name, token.shape) : nullptr;
    if (config_.tied && weight != nullptr &&
        (weight->dtype != token.dtype || weight->bytes != token.bytes)) {
      contradicts("tie_word_embeddings", "is true (or absent, which means that here), but tensor " +
                                             name + " is not the token embedding");
    }
    if (config_.tied) weight = &token;
    if (weight == nullptr) {
      if (config_.head_bias) {
        contradicts(table_.head_biases.key,
                    "is true, but the unembedding, tensor " + name + ", is missing");
      }
      return std::nullopt;
    }
    Map map{.weight = weight, .out = token.shape[0], .in = config_.token_width};
    if (table_.head_bias.empty()) return map;
    const std::string bias(table_.head_bias);
    require_bias(table_.head_biases, config_.head_bias, bias);
    if (config_.head_bias) map.bias = need(bias, {token.shape[0]});
    return map;
  }

  // Whether a tensor belongs to this architecture, whatever its prefix: its name begins as one of
  // its own does.
  [[nodiscard]] bool is_inside(const std::string& name) const {
    const auto begins = [&](std::string_view prefix, std::string_view own) {
      own = own.substr(0, own.find('.'));
      return !own.empty() && name.starts_with(std::string(prefix) + std::string(own) + ".");
    };
    if (table_.is_closed) return true;
    if (begins("", table_.head)) return true;
    for (const std::string_view prefix : table_.prefixes) {
      if (!prefix.empty() && name.starts_with(prefix)) return true;
      for (const std::string_view own :
           {table_.token, table_.position, table_.layer, table_.final_norm, table_.project_in.name,
            table_.project_out.name}) {
        if (begins(prefix, own)) return true;
      }
    }
    return false;
  }

  void refuse_unread() const {
    for (const auto& [name, view] : tensors_) {
      if (!read_.contains(name) && is_inside(name)) {
        refuse(name, "is in the files but is not part of the model that config.json describes",
               "it belongs to another architecture, or config.json to other weights");
      }
    }
  }

  const Config& config_;
  const Architecture& table_;
  const Tensors& tensors_;
  std::string where_;
  std::string prefix_;
  std::string at_;              // prefix of the names that follow
  std::set<std::string> read_;  // and what may stay unread
};

}  // namespace

std::optional<std::size_t> Model::positions() const {
  if (position == nullptr) return std::nullopt;
  return position->shape[0] - config.architecture->position_offset;
}

std::string Model::scope() const {
  return config.architecture->bidirectional
             ? ""
             : "true of these rows in every text that begins with these tokens (ca-1)";
}

std::string Model::remarks() const {
  std::vector<std::string> remarks;
  const auto named = [](const std::set<std::string>& keys) {
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + json::shown_key(key);
    return (keys.size() == 1 ? "key " : "keys ") + list + " of config.json";
  };
  const std::set<std::string>& assumed = config.assumed_neutral;
  if (!assumed.empty()) {
    remarks.push_back("assumes that " + named(assumed) +
                      (assumed.size() == 1 ? " changes" : " change") + " nothing");
  }
  if (!config.own.empty()) {
    remarks.push_back("computes with " + named(config.own) + ", which transformers ignores");
  }
  if (!config.architecture->no_mlp.empty()) {
    const auto dense = std::count_if(layers.begin(), layers.end(),
                                     [](const Layer& layer) { return layer.mlp_in.has_value(); });
    const bool all = static_cast<std::size_t>(dense) == layers.size();
    remarks.push_back("computes " + std::string(config.architecture->model_type) +
                      (dense == 0 ? " without experts: the files hold none, and every layer is "
                                    "attention alone"
                       : all      ? " with one MLP in place of the experts"
                                  : " with one MLP in place of the experts in some layers, and "
                                    "attention alone in the others"));
  }
  std::string text;
  for (const std::string& remark : remarks) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

Model read_model(const Config& config, const Tensors& tensors, const std::string& where) {
  return Reader(config, tensors, where).model();
}

}  // namespace sinkproof::language
