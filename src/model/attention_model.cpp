#include "model/attention_model.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::model {
namespace {

using exact::fail;
using exact::Result;

constexpr std::size_t kMaxLength = 1'000'000;

// Reads one setting: the command line's word if it has one, else the file's metadata, else
// `otherwise`.
class Settings {
 public:
  Settings(const std::map<std::string, std::string>& metadata, std::string where)
      : metadata_(metadata), where_(std::move(where)) {}

  Result<std::string> text(const std::string& key, const std::optional<std::string>& given,
                           const std::optional<std::string>& otherwise) {
    const auto found = metadata_.find(key);
    if (given) {
      if (found != metadata_.end() && found->second != *given) overridden_.push_back(key);
      return *given;
    }
    if (found != metadata_.end()) return found->second;
    if (otherwise) return *otherwise;
    return fail("SP1102", where_ + ": metadata " + key,
                "missing; save it in the checkpoint's metadata or give it on the command line");
  }

  Result<std::size_t> number(const std::string& key, const std::optional<std::size_t>& given,
                             const std::optional<std::size_t>& otherwise) {
    const auto as_text = [](const std::optional<std::size_t>& value) {
      return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
    };
    const auto chosen = text(key, as_text(given), as_text(otherwise));
    if (!chosen) return tl::unexpected(chosen.error());
    std::size_t value = 0;
    const char* end = chosen->data() + chosen->size();
    const auto [stop, error] = std::from_chars(chosen->data(), end, value);
    if (error != std::errc() || stop != end || value > kMaxLength) {
      return fail("SP1102", where_ + ": metadata " + key,
                  "\"" + chosen->substr(0, 40) + "\" is not a whole number up to " +
                      std::to_string(kMaxLength));
    }
    return value;
  }

  [[nodiscard]] std::vector<std::string> overridden() const { return overridden_; }

 private:
  const std::map<std::string, std::string>& metadata_;
  std::string where_;
  std::vector<std::string> overridden_;
};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

Result<exact::RationalMatrix> load_matrix(const safetensors::Contents& contents,
                                          const std::string& name, std::size_t rows,
                                          std::size_t columns, const std::string& where) {
  const auto found = contents.tensors.find(name);
  const std::string place = where + ": " + name;
  if (found == contents.tensors.end()) {
    return fail("SP1103", place, "tensor missing; sinkproof reads PyTorch's state_dict names");
  }
  const std::vector<std::uint64_t> expected = {rows, columns};
  if (found->second.shape != expected) {
    return fail("SP1104", place,
                "shape " + shape_text(found->second.shape) + " where " + shape_text(expected) +
                    " is needed");
  }
  auto values = safetensors::exact_values(found->second, place);
  if (!values) return tl::unexpected(values.error());
  return exact::RationalMatrix(rows, columns, std::move(*values));
}

Result<Layer> load_layer(const safetensors::Contents& contents, const std::string& prefix,
                         std::size_t d_model, std::size_t num_heads, const std::string& where) {
  const std::size_t wide = d_model * num_heads;
  auto query = load_matrix(contents, prefix + "W_Q.weight", wide, d_model, where);
  if (!query) return tl::unexpected(query.error());
  auto key = load_matrix(contents, prefix + "W_K.weight", wide, d_model, where);
  if (!key) return tl::unexpected(key.error());
  auto value = load_matrix(contents, prefix + "W_V.weight", wide, d_model, where);
  if (!value) return tl::unexpected(value.error());
  auto output = load_matrix(contents, prefix + "W_O.weight", d_model, wide, where);
  if (!output) return tl::unexpected(output.error());
  return Layer{std::move(*query), std::move(*key), std::move(*value), std::move(*output)};
}

// d_model when the metadata does not say: the input width of the first query matrix.
std::optional<std::size_t> width_from_tensors(const safetensors::Contents& contents) {
  for (const char* name : {"W_Q.weight", "layers.0.W_Q.weight"}) {
    const auto found = contents.tensors.find(name);
    if (found != contents.tensors.end() && found->second.shape.size() == 2) {
      return found->second.shape[1];
    }
  }
  return std::nullopt;
}

std::size_t count_layers(const safetensors::Contents& contents) {
  std::size_t count = 0;
  while (contents.tensors.contains("layers." + std::to_string(count) + ".W_Q.weight")) ++count;
  return count;
}

// A bias would change every logit and value; certifying the weights without it would be about
// another model than the file's.
Result<void> refuse_biases(const safetensors::Contents& contents, const std::string& where) {
  for (const auto& [name, tensor] : contents.tensors) {
    if (name.ends_with(".bias")) {
      return fail("SP1106", where + ": " + name, "sinkproof reads attention without biases only");
    }
  }
  return {};
}

Result<AttentionModel> build(const safetensors::Contents& contents, const Overrides& overrides,
                             const std::string& where) {
  const auto unbiased = refuse_biases(contents, where);
  if (!unbiased) return tl::unexpected(unbiased.error());
  Settings settings(contents.metadata, where);
  AttentionModel model;
  const auto kind = settings.text("attention", overrides.attention, std::nullopt);
  if (!kind) return tl::unexpected(kind.error());
  const auto attention = parse_attention(*kind, where);
  if (!attention) return tl::unexpected(attention.error());
  model.attention = *attention;
  const auto d_model = settings.number("d_model", std::nullopt, width_from_tensors(contents));
  if (!d_model) return tl::unexpected(d_model.error());
  model.d_model = *d_model;
  const auto heads = settings.number("num_heads", overrides.num_heads, 1);
  if (!heads) return tl::unexpected(heads.error());
  model.num_heads = *heads;
  const auto length = settings.number("seq_len", overrides.length, std::nullopt);
  if (!length) return tl::unexpected(length.error());
  model.length = *length;
  std::optional<std::string> given;
  if (overrides.residual) given = *overrides.residual ? "true" : "false";
  const auto residual = settings.text("residual", given, "false");
  if (!residual) return tl::unexpected(residual.error());
  if (*residual != "true" && *residual != "false") {
    return fail("SP1102", where + ": metadata residual", "must be true or false");
  }
  model.residual = *residual == "true";
  if (model.d_model < 4 || model.length < 3 || model.num_heads < 1) {
    return fail("SP1105", where,
                "the task needs d_model >= 4, length >= 3 and at least one head; this file has "
                "d_model " +
                    std::to_string(model.d_model) + ", length " + std::to_string(model.length) +
                    ", heads " + std::to_string(model.num_heads));
  }
  const std::size_t stacked = count_layers(contents);
  for (std::size_t l = 0; l < std::max<std::size_t>(stacked, 1); ++l) {
    const std::string prefix = stacked == 0 ? "" : "layers." + std::to_string(l) + ".";
    auto layer = load_layer(contents, prefix, model.d_model, model.num_heads, where);
    if (!layer) return tl::unexpected(layer.error());
    model.layers.push_back(std::move(*layer));
  }
  model.overrides = settings.overridden();
  std::erase(model.overrides, "seq_len");  // the length is the certificate's own, not an override
  std::sort(model.overrides.begin(), model.overrides.end());
  return model;
}

}  // namespace

Result<Attention> parse_attention(const std::string& name, const std::string& where) {
  if (name == "softmax") return Attention::kSoftmax;
  if (name == "relu") return Attention::kRelu;
  return fail("SP1101", where,
              "unknown attention kind \"" + name.substr(0, 40) + "\"; known: softmax, relu");
}

std::string to_string(Attention attention) {
  return attention == Attention::kSoftmax ? "softmax" : "relu";
}

Result<AttentionModel> load(const std::filesystem::path& path, const Overrides& overrides) {
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto contents = safetensors::parse(*bytes, path.string());
  if (!contents) return tl::unexpected(contents.error());
  auto model = build(*contents, overrides, path.string());
  if (model) model->sha256 = certificate::sha256_hex(*bytes);
  return model;
}

}  // namespace sinkproof::model
