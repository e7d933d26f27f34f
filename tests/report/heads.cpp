#include "heads.hpp"

#include <catch2/catch.hpp>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "model/attention_model.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::report::test {

TinyHead sink_head(float b) {
  return {"softmax",
          {b, -b, 0, b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

TinyHead relu_head() {
  return {"relu",
          {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

TinyLayer sink_layer(const std::string& attention, std::size_t heads, float b) {
  const TinyHead head = sink_head(b);
  TinyLayer layer{attention, heads, {}, {}, {}};
  for (std::size_t h = 0; h < heads; ++h) {
    layer.query.insert(layer.query.end(), head.query.begin(), head.query.end());
    layer.key.insert(layer.key.end(), head.key.begin(), head.key.end());
    for (const float v : head.value) layer.value.push_back(v / static_cast<float>(heads));
    if (attention != "softmax-gated") continue;
    layer.gate.insert(layer.gate.end(), {-b, b, 0, -b});
    layer.gate_bias.push_back(0);
  }
  return layer;
}

TinyLayer switch_layer(const std::string& attention, float b) {
  return {attention,
          1,
          {-b, b, 0, -b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

void write_layer(const std::filesystem::path& path, const TinyLayer& layer, std::size_t length) {
  const std::uint64_t rows = 4 * layer.heads;
  safetensors::Contents contents;
  contents.metadata = {{"attention", layer.attention},
                       {"d_model", "4"},
                       {"num_layers", "1"},
                       {"num_heads", std::to_string(layer.heads)},
                       {"residual", "false"},
                       {"seq_len", std::to_string(length)}};
  const auto add = [&](const char* name, const std::vector<std::uint64_t>& shape,
                       const Weights& weights) {
    if (!weights.empty()) contents.tensors[name] = output::float32_tensor(shape, weights);
  };
  Weights output;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < rows; ++j) output.push_back(j % 4 == i ? 1.0F : 0.0F);
  }
  add("W_Q.weight", {rows, 4}, layer.query);
  add("W_K.weight", {rows, 4}, layer.key);
  add("W_V.weight", {rows, 4}, layer.value);
  add("W_O.weight", {4, rows}, output);
  add("W_Q.bias", {rows}, layer.query_bias);
  add("W_G.weight", {layer.heads, 4}, layer.gate);
  add("W_G.bias", {layer.heads}, layer.gate_bias);
  REQUIRE(output::write(path, contents).has_value());
}

void write_head(const std::filesystem::path& path, const TinyHead& head, std::size_t length) {
  write_stack(path, head, length, 1);
}

void write_stack(const std::filesystem::path& path, const TinyHead& head, std::size_t length,
                 std::size_t layers) {
  const std::vector<std::uint64_t> square = {4, 4};
  const Weights identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  safetensors::Contents contents;
  contents.metadata = {{"attention", head.attention},
                       {"d_model", "4"},
                       {"num_heads", "1"},
                       {"num_layers", std::to_string(layers)},
                       {"residual", "false"},
                       {"seq_len", std::to_string(length)}};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::string prefix = layers == 1 ? "" : "layers." + std::to_string(layer) + ".";
    const auto add = [&](const char* name, const Weights& weights) {
      contents.tensors[prefix + name] = output::float32_tensor(square, weights);
    };
    add("W_Q.weight", head.query);
    add("W_K.weight", head.key);
    add("W_V.weight", head.value);
    add("W_O.weight", identity);
  }
  REQUIRE(output::write(path, contents).has_value());
}

Input certified(const std::filesystem::path& model) {
  const auto loaded = model::load(model, {});
  REQUIRE(loaded.has_value());
  certify::Options options;
  options.claim_hash = certificate::claim_hash(source("proofs/checkpoint")).value();
  const auto certification = certify::certify(*loaded, options);
  REQUIRE(certification.has_value());
  std::filesystem::path path = model;
  path.replace_extension(".json");
  REQUIRE(output::replace(path, certificate::certificate_bytes(certification->certificate())));
  Input input = checked(path, false);
  REQUIRE(input.outcome.exit_code == 0);
  input.model = model;
  return input;
}

Input checked(const std::filesystem::path& path, bool accept_all) {
  check::Options options;
  options.claims = source("proofs");
  if (accept_all) options.accept = {"coq", "smt"};
  Input input;
  input.path = path;
  const auto bytes = file::read(path);
  REQUIRE(bytes.has_value());
  if (auto value = json::parse_strict(*bytes, path.string())) input.certificate = *value;
  input.outcome = check::check_file(path, options);
  return input;
}

Outcome outcome_of(const std::string& verdict, const std::string& evidence,
                   const std::string& reason, int exit_code) {
  Outcome outcome;
  outcome.verdict = verdict;
  outcome.evidence = evidence;
  outcome.reason = reason;
  outcome.exit_code = exit_code;
  return outcome;
}

std::filesystem::path source(const std::string& relative) {
  return std::filesystem::path(SINKPROOF_SOURCE_DIR) / relative;
}

}  // namespace sinkproof::report::test
