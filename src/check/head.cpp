#include "check/head.hpp"

#include <algorithm>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"
#include "check/rejected.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::check {
namespace {

using certificate::integer_field;
using certificate::string_field;

constexpr std::int64_t kMaxWidth = 4096;
constexpr std::int64_t kMaxLength = 1'000'000;

const json::Value& model_object(const json::Value& certificate) {
  require(certificate.contains("model"), "model", "missing");
  const json::Value& model = certificate["model"];
  value_of(certificate::only_keys(
      model, {"attention", "d_model", "num_heads", "num_layers", "overrides", "residual", "sha256"},
      "model"));
  return model;
}

exact::RationalMatrix read_matrix(const safetensors::Contents& contents, const std::string& name,
                                  std::size_t n) {
  const auto found = contents.tensors.find(name);
  require(found != contents.tensors.end(), "model file", "tensor " + name + " is missing");
  const std::vector<std::uint64_t> expected = {n, n};
  require(found->second.shape == expected, "model file", "tensor " + name + " has another shape");
  return {n, n, value_of(safetensors::exact_values(found->second, name))};
}

// Where the file's own metadata says something else than the certificate, the certificate must
// admit it.
void check_overrides(const json::Value& model, const safetensors::Contents& contents) {
  const auto admitted = value_of(certificate::strings_field(model, "overrides", "model"));
  const std::pair<std::string, std::string> readings[] = {
      {"attention", model["attention"].get<std::string>()},
      {"d_model", std::to_string(model["d_model"].get<std::int64_t>())},
      {"num_heads", "1"},
      {"residual", "false"}};
  std::vector<std::string> differing;
  for (const auto& [key, reading] : readings) {
    const auto found = contents.metadata.find(key);
    if (found != contents.metadata.end() && found->second != reading) differing.push_back(key);
  }
  require(admitted == differing, "model.overrides",
          "must list exactly the metadata keys the certificate reads differently than the file");
}

}  // namespace

std::string model_sha256(const json::Value& certificate) {
  std::string hash = value_of(string_field(model_object(certificate), "sha256", "model"));
  require(certificate::is_sha256_hex(hash), "model.sha256", "not a SHA-256 in hexadecimal");
  return hash;
}

Head read_head(const json::Value& certificate, std::string_view model_bytes) {
  const json::Value& model = model_object(certificate);
  Head head;
  const std::string attention = value_of(string_field(model, "attention", "model"));
  require(attention == "softmax" || attention == "relu", "model.attention",
          "must be softmax or relu");
  head.softmax = attention == "softmax";
  head.width =
      static_cast<std::size_t>(value_of(integer_field(model, "d_model", 4, kMaxWidth, "model")));
  head.noise = head.width - 3;
  head.length = static_cast<std::size_t>(
      value_of(integer_field(certificate, "length", 3, kMaxLength, "certificate")));
  value_of(integer_field(model, "num_heads", 1, 1, "model"));
  value_of(integer_field(model, "num_layers", 1, 1, "model"));
  require(model["residual"].is_boolean() && !model["residual"].get<bool>(), "model.residual",
          "must be false");
  const safetensors::Contents contents = value_of(safetensors::parse(model_bytes, "model file"));
  for (const auto& [name, tensor] : contents.tensors) {
    require(!name.starts_with("layers."), "model file", "holds more than the one layer certified");
  }
  check_overrides(model, contents);
  const std::size_t n = head.width;
  head.logit = exact::transpose(read_matrix(contents, "W_Q.weight", n)) *
               read_matrix(contents, "W_K.weight", n);
  head.value = read_matrix(contents, "W_O.weight", n) * read_matrix(contents, "W_V.weight", n);
  return head;
}

}  // namespace sinkproof::check
