#include "check/layer.hpp"

#include <set>
#include <utility>

#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"
#include "check/checkpoint_work.hpp"
#include "check/rejected.hpp"
#include "check/scaled_matrix.hpp"
#include "check/sizes.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::check {
namespace {

using certificate::integer_field;
using certificate::string_field;
using exact::Rational;
using exact::RationalMatrix;

constexpr std::int64_t kMaxWidth = 4096;
constexpr std::int64_t kMaxHeads = 64;
constexpr std::int64_t kMaxLength = 1'000'000;

const json::Value& model_object(const json::Value& certificate) {
  require(certificate.contains("model"), "model", "missing");
  const json::Value& model = certificate["model"];
  value_of(certificate::only_keys(
      model, {"attention", "d_model", "num_heads", "num_layers", "overrides", "residual", "sha256"},
      "model"));
  return model;
}

// Hands out the tensors of a file and knows at the end whether one was left over. All their names
// may have the prefix of a stack's first layer.
class Tensors {
 public:
  explicit Tensors(const safetensors::Contents& contents)
      : contents_(contents),
        prefix_(contents.tensors.contains("layers.0.W_Q.weight") ? "layers.0." : "") {}

  RationalMatrix matrix(const std::string& name, std::size_t rows, std::size_t columns) {
    return {rows, columns, values(name, {rows, columns})};
  }

  // Zeros where an optional vector is absent.
  std::vector<Rational> vector(const std::string& name, std::size_t size, bool optional) {
    if (optional && !contents_.tensors.contains(prefix_ + name)) return std::vector<Rational>(size);
    return values(name, {size});
  }

  // B of FORMAT.md section 7, over what has been read.
  [[nodiscard]] std::uint64_t bits() const { return bits_.total(); }

  void require_all_read() const {
    for (const auto& [name, tensor] : contents_.tensors) {
      require(read_.contains(name), "model file",
              "tensor " + name + " is not part of the one layer certified");
    }
  }

 private:
  std::vector<Rational> values(const std::string& own, const std::vector<std::uint64_t>& shape) {
    const std::string name = prefix_ + own;
    const auto found = contents_.tensors.find(name);
    require(found != contents_.tensors.end(), "model file", "tensor " + name + " is missing");
    require(found->second.shape == shape, "model file", "tensor " + name + " has another shape");
    read_.insert(name);
    std::vector<Rational> all = value_of(safetensors::exact_values(found->second, name));
    for (const Rational& value : all) bits_.include(value);
    return all;
  }

  const safetensors::Contents& contents_;
  std::string prefix_;
  std::set<std::string> read_;
  Bits bits_;
};

// Where the file's own metadata says something else than the certificate, the certificate must
// admit it.
void check_overrides(const json::Value& model, const safetensors::Contents& contents) {
  const auto admitted = value_of(certificate::strings_field(model, "overrides", "model"));
  const std::pair<std::string, std::string> readings[] = {
      {"attention", model["attention"].get<std::string>()},
      {"d_model", std::to_string(model["d_model"].get<std::int64_t>())},
      {"num_heads", std::to_string(model["num_heads"].get<std::int64_t>())},
      {"num_layers", "1"},
      {"residual", "false"}};
  std::vector<std::string> differing;
  for (const auto& [key, reading] : readings) {
    const auto found = contents.metadata.find(key);
    if (found != contents.metadata.end() && found->second != reading) differing.push_back(key);
  }
  require(admitted == differing, "model.overrides",
          "must list exactly the metadata keys the certificate reads differently than the file");
}

// Rows `head` n .. of W + b e^T: every token's three flags sum to one.
RationalMatrix rows_with_bias(const RationalMatrix& weight, const std::vector<Rational>& bias,
                              std::size_t head) {
  const std::size_t n = weight.columns();
  RationalMatrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result(i, j) = weight(head * n + i, j);
    for (const std::size_t flag : {kBosFlag, kTriggerFlag, n - 1}) {
      result(i, flag) += bias[head * n + i];
    }
  }
  return result;
}

RationalMatrix columns_of(const RationalMatrix& weight, std::size_t head) {
  const std::size_t n = weight.rows();
  RationalMatrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result(i, j) = weight(i, head * n + j);
  }
  return result;
}

// The tensors of the file.
struct Weights {
  RationalMatrix query, key, value;                        // [H n, n]
  RationalMatrix output;                                   // [n, H n]
  std::vector<Rational> query_bias, key_bias, value_bias;  // H n
};

Weights read_weights(Tensors& tensors, std::size_t n, std::size_t wide) {
  return {tensors.matrix("W_Q.weight", wide, n),  tensors.matrix("W_K.weight", wide, n),
          tensors.matrix("W_V.weight", wide, n),  tensors.matrix("W_O.weight", n, wide),
          tensors.vector("W_Q.bias", wide, true), tensors.vector("W_K.bias", wide, true),
          tensors.vector("W_V.bias", wide, true)};
}

// The product over integers: one gcd for each entry of the result.
RationalMatrix multiply(const RationalMatrix& a, const RationalMatrix& b) {
  const ScaledMatrix integers = product(scaled(a), scaled(b));
  RationalMatrix result(integers.rows(), integers.columns());
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < result.columns(); ++j) {
      result(i, j) = exact::make_rational(integers.entries(i, j), integers.denominator);
    }
  }
  return result;
}

Head head_of(const Weights& weights, const Layer& layer, const ModelSizes& sizes, std::size_t h) {
  Head head;
  head.softmax = layer.attention.name == "softmax";
  head.width = sizes.width;
  head.noise = sizes.width - 3;
  head.length = sizes.length;
  head.logit = multiply(exact::transpose(rows_with_bias(weights.query, weights.query_bias, h)),
                        rows_with_bias(weights.key, weights.key_bias, h));
  head.value =
      multiply(columns_of(weights.output, h), rows_with_bias(weights.value, weights.value_bias, h));
  return head;
}

// Where a row's weights sum to one, a constant is a value that every token has.
void fold_constant(Layer& layer) {
  const Attention& attention = layer.attention;
  if (!attention.normalised || attention.null_slot || attention.gated) return;
  const std::size_t n = layer.width();
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t flag : {kBosFlag, kTriggerFlag, n - 1}) {
      layer.heads.front().value(i, flag) += layer.constant[i];
    }
    layer.constant[i] = 0;
  }
}

void read_gates(Tensors& tensors, const ModelSizes& sizes, Layer& layer) {
  const RationalMatrix weight = tensors.matrix("W_G.weight", sizes.heads, sizes.width);
  const auto bias = tensors.vector("W_G.bias", sizes.heads, false);
  for (std::size_t h = 0; h < sizes.heads; ++h) {
    Gate gate;
    for (std::size_t c = 0; c < sizes.width; ++c) gate.weight.push_back(weight(h, c));
    gate.bias = bias[h];
    layer.gates.push_back(std::move(gate));
  }
}

}  // namespace

bool Layer::is_one_head() const {
  if (heads.size() != 1) return false;
  if (attention.name == "softmax") return true;
  if (attention.name != "relu") return false;
  for (const Rational& entry : constant) {
    if (entry != 0) return false;
  }
  return true;
}

std::string model_sha256(const json::Value& certificate) {
  std::string hash = value_of(string_field(model_object(certificate), "sha256", "model"));
  require(certificate::is_sha256_hex(hash), "model.sha256", "not a SHA-256 in hexadecimal");
  return hash;
}

Layer read_layer(const json::Value& certificate, std::string_view model_bytes) {
  const json::Value& model = model_object(certificate);
  Layer layer;
  layer.attention = attention_named(value_of(string_field(model, "attention", "model")));
  const auto size = [&](const json::Value& object, const std::string& key, std::int64_t least,
                        std::int64_t most, const std::string& where) {
    return static_cast<std::size_t>(value_of(integer_field(object, key, least, most, where)));
  };
  ModelSizes sizes{size(model, "d_model", 4, kMaxWidth, "model"),
                   size(model, "num_heads", 1, kMaxHeads, "model"),
                   size(certificate, "length", 3, kMaxLength, "certificate"), 1};
  value_of(integer_field(model, "num_layers", 1, 1, "model"));
  require(model["residual"].is_boolean() && !model["residual"].get<bool>(), "model.residual",
          "must be false");
  const safetensors::Contents contents = value_of(safetensors::parse(model_bytes, "model file"));
  check_overrides(model, contents);
  certificate::Work work(certificate::certificate_bytes(certificate).size());
  certificate::Work with_one_bit = work;
  spend_model(sizes, with_one_bit);  // the weights of a model it cannot afford are not even read
  Tensors tensors(contents);
  const Weights weights = read_weights(tensors, sizes.width, sizes.heads * sizes.width);
  layer.constant = tensors.vector("W_O.bias", sizes.width, true);
  if (layer.attention.gated) read_gates(tensors, sizes, layer);
  tensors.require_all_read();
  sizes.bits = tensors.bits();
  spend_model(sizes, work);
  spend_properties(certificate, layer.attention, sizes, work);
  for (std::size_t h = 0; h < sizes.heads; ++h) {
    layer.heads.push_back(head_of(weights, layer, sizes, h));
  }
  fold_constant(layer);
  return layer;
}

}  // namespace sinkproof::check
