#include "model/lens.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "certificate/strict.hpp"
#include "json/strict.hpp"
#include "model/foreign_file.hpp"
#include "model/gathered.hpp"
#include "model/layer_names.hpp"

namespace sinkproof::model {
namespace {

using safetensors::Contents;
using safetensors::Tensor;
using Shape = std::vector<std::uint64_t>;

class LensReader {
 public:
  LensReader(const Contents& contents, const std::string& activation, const std::string& where)
      : contents_(contents), activation_(activation), where_(where) {}

  LensModel read() {
    read_sizes();
    put("embed.weight", "embed.W_E",
        rows_first_ ? Shape{vocabulary_, width_} : Shape{width_, vocabulary_}, !rows_first_);
    put("positions.weight", "pos_embed.W_pos", {positions_, width_}, false);
    for (layer_ = 0; has("attn.W_Q"); ++layer_) read_layer();
    put("unembed.weight", "unembed.W_U", {width_, vocabulary_}, true);
    const bool biased = contents_.tensors.contains("unembed.b_U");
    if (biased) put("unembed.bias", "unembed.b_U", {vocabulary_}, false);
    refuse_unread();
    json::Value config = {
        {"model_type", "sinkproof"},   {"hidden_size", width_},
        {"num_hidden_layers", layer_}, {"num_attention_heads", heads_},
        {"head_dim", head_width_},     {"max_position_embeddings", positions_},
        {"vocab_size", vocabulary_},   {"attention_bias", attention_bias_.value_or(false)},
        {"unembed_bias", biased}};
    if (inner_ > 0) {
      config["intermediate_size"] = inner_;
      config["hidden_act"] = activation_;
      config["mlp_bias"] = mlp_bias_.value_or(false);
    }
    return {json::canonical(config) + "\n", std::move(made_),
            rows_first_ ? "rows times W, as TransformerLens stores it"
                        : "W times columns, as the code for arXiv:2301.05217 stores it"};
  }

 private:
  [[noreturn]] void refuse(const std::string& code, const std::string& what) const {
    throw certificate::Rejected{{code, where_, what}};
  }

  [[nodiscard]] std::string name(const std::string& ending) const {
    return "blocks." + std::to_string(layer_) + "." + ending;
  }
  [[nodiscard]] bool has(const std::string& ending) const {
    return contents_.tensors.contains(name(ending));
  }

  const Tensor& find(const std::string& name) {
    const auto found = contents_.tensors.find(name);
    if (found == contents_.tensors.end()) {
      refuse("SP1112", "tensor " + name +
                           " is missing; --folder reads embed.W_E, pos_embed.W_pos, "
                           "blocks.N.attn.W_Q, W_K, W_V and W_O, blocks.N.mlp.W_in and W_out, and "
                           "unembed.W_U");
    }
    if (found->second.dtype == safetensors::Dtype::kOther) {
      refuse("SP0404",
             "tensor " + name + " is of dtype " + found->second.dtype_name + "; save it as F32");
    }
    read_.insert(name);
    return found->second;
  }

  void read_sizes() {
    const Shape& positions = find("pos_embed.W_pos").shape;
    const Shape& output = find("blocks.0.attn.W_O").shape;
    const Shape& query = find("blocks.0.attn.W_Q").shape;
    const Shape& unembed = find("unembed.W_U").shape;
    if (positions.size() != 2 || query.size() != 3 || unembed.size() != 2 ||
        (output.size() != 2 && output.size() != 3)) {
      refuse("SP1104",
             "W_pos and W_U must be matrices, W_Q [heads, .., ..], W_O of two or three "
             "dimensions; W_Q is " +
                 shape_text(query) + ", W_O " + shape_text(output));
    }
    rows_first_ = output.size() == 3;
    positions_ = positions[0];
    width_ = positions[1];
    heads_ = query[0];
    head_width_ = query[rows_first_ ? 2 : 1];
    vocabulary_ = unembed[1];
  }

  void read_layer() {
    const std::string to = "layers." + std::to_string(layer_) + ".attention.";
    const Shape in =
        rows_first_ ? Shape{heads_, width_, head_width_} : Shape{heads_, head_width_, width_};
    const std::uint64_t all = heads_ * head_width_;
    for (const auto& [letter, word] : {std::pair("Q", "query"), {"K", "key"}, {"V", "value"}}) {
      put(to + word + ".weight", name(std::string("attn.W_") + letter), in, rows_first_,
          {all, width_});
      bias(to + word + ".bias", name(std::string("attn.b_") + letter), {heads_, head_width_}, all,
           attention_bias_);
    }
    // [heads, width, d] is the matrix [heads width, d].
    put(to + "output.weight", name("attn.W_O"),
        rows_first_ ? Shape{heads_, head_width_, width_} : Shape{width_, all}, false,
        rows_first_ ? Shape{all, width_} : Shape{width_, all});
    if (rows_first_) transpose(made_.tensors[to + "output.weight"]);
    bias(to + "output.bias", name("attn.b_O"), {width_}, width_, attention_bias_);
    read_mlp();
  }

  void read_mlp() {
    if (layer_ > 0 && has("mlp.W_in") != (inner_ > 0)) {
      refuse("SP1112", "some layers have an MLP and others have none, which is not supported");
    }
    if (!has("mlp.W_in")) return;
    const Shape& shape = find(name("mlp.W_in")).shape;
    if (shape.size() != 2) refuse("SP1104", name("mlp.W_in") + " must be a matrix");
    if (layer_ == 0) inner_ = shape[rows_first_ ? 1 : 0];
    if (activation_.empty()) {
      refuse("SP1113",
             "there is an MLP, and the file does not say its activation; give "
             "--activation relu, gelu, gelu_new or silu");
    }
    const std::string to = "layers." + std::to_string(layer_) + ".mlp.";
    const Shape in = rows_first_ ? Shape{width_, inner_} : Shape{inner_, width_};
    const Shape out = rows_first_ ? Shape{inner_, width_} : Shape{width_, inner_};
    put(to + "in.weight", name("mlp.W_in"), in, rows_first_);
    bias(to + "in.bias", name("mlp.b_in"), {inner_}, inner_, mlp_bias_);
    put(to + "out.weight", name("mlp.W_out"), out, rows_first_);
    bias(to + "out.bias", name("mlp.b_out"), {width_}, width_, mlp_bias_);
  }

  // Of one kind of maps all have a bias, or none has.
  void bias(const std::string& to, const std::string& from, const Shape& shape, std::uint64_t size,
            std::optional<bool>& has_bias) {
    const bool here = contents_.tensors.contains(from);
    if (has_bias.value_or(here) != here) {
      refuse("SP1112",
             "tensor " + from + (here ? " is there" : " is missing") +
                 ", unlike the biases of other maps; add zeros for those that are missing");
    }
    has_bias = here;
    if (here) put(to, from, shape, false, {size});
  }

  // The tensor of this shape, transposed within its last two dimensions where asked, as one of
  // another shape of as many elements.
  void put(const std::string& to, const std::string& from, const Shape& shape, bool transposes,
           const Shape& as = {}) {
    Tensor tensor = find(from);
    if (tensor.shape != shape) {
      refuse("SP1104", "tensor " + from + " has shape " + shape_text(tensor.shape) + ", not " +
                           shape_text(shape) + "; W_O has " + (rows_first_ ? "three" : "two") +
                           " dimensions, so the layout is taken to be " +
                           (rows_first_ ? "TransformerLens's" : "that of arXiv:2301.05217"));
    }
    if (transposes) transpose(tensor);
    if (!as.empty()) tensor.shape = as;
    made_.tensors[to] = std::move(tensor);
  }

  // The last two dimensions exchanged.
  static void transpose(Tensor& tensor) {
    Shape shape = tensor.shape;
    const std::uint64_t columns = shape.back();
    const std::uint64_t rows = shape[shape.size() - 2];
    std::swap(shape[shape.size() - 2], shape.back());
    tensor = gathered(tensor, std::move(shape), [&](std::uint64_t k) {
      const std::uint64_t within = k % (rows * columns);
      return std::optional(k - within + within % rows * columns + within / rows);
    });
  }

  void refuse_unread() const {
    for (const auto& [name, tensor] : contents_.tensors) {
      if (read_.contains(name) || is_causality(name, tensor)) continue;
      if (name.ends_with("attn.mask")) {
        refuse("SP1112", name + " is not causal, and only causal masks are supported");
      }
      refuse("SP1112", "tensor " + name +
                           " is not read; a folder of --folder has embeddings, attention, MLPs "
                           "and an unembedding, and no norms");
    }
  }

  const Contents& contents_;
  const std::string& activation_;
  const std::string& where_;
  Contents made_;
  std::set<std::string> read_;
  bool rows_first_ = false;
  std::uint64_t positions_ = 0, width_ = 0, heads_ = 0, head_width_ = 0, vocabulary_ = 0;
  std::uint64_t inner_ = 0;
  std::uint64_t layer_ = 0;
  std::optional<bool> attention_bias_, mlp_bias_;
};

}  // namespace

exact::Result<LensModel> lens_model(const Contents& contents, const std::string& activation,
                                    const std::string& where) {
  return certificate::result_of(
      [&]() -> LensModel { return LensReader(contents, activation, where).read(); });
}

}  // namespace sinkproof::model
