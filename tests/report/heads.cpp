#include "heads.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "model/attention_model.hpp"
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

Folder::Folder(const std::string& name)
    : path_(std::filesystem::temp_directory_path() /
            ("sinkproof-report-" + name + "-" + std::to_string(::getpid()))) {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_head(const std::filesystem::path& path, const TinyHead& head, std::size_t length) {
  const std::vector<std::uint64_t> square = {4, 4};
  safetensors::Contents contents;
  contents.metadata = {
      {"attention", head.attention}, {"d_model", "4"},      {"num_heads", "1"},
      {"num_layers", "1"},           {"residual", "false"}, {"seq_len", std::to_string(length)}};
  contents.tensors["W_Q.weight"] = safetensors::float32_tensor(square, head.query);
  contents.tensors["W_K.weight"] = safetensors::float32_tensor(square, head.key);
  contents.tensors["W_V.weight"] = safetensors::float32_tensor(square, head.value);
  const Weights identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  contents.tensors["W_O.weight"] = safetensors::float32_tensor(square, identity);
  REQUIRE(safetensors::write(path, contents).has_value());
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
  REQUIRE(file::replace(path, certificate::certificate_bytes(certification->certificate)));
  Input input = checked(path, false);
  REQUIRE(input.outcome.exit_code == 0);
  input.model = model;
  return input;
}

Input checked(const std::filesystem::path& path, bool accept_all) {
  check::Options options;
  options.claims = source("proofs");
  if (accept_all) options.accept = {"coq", "smt"};
  const auto outcome = check::check_file(path, options);
  Input input;
  input.path = path;
  const auto bytes = file::read(path);
  REQUIRE(bytes.has_value());
  if (auto value = json::parse_strict(*bytes, path.string())) input.certificate = *value;
  input.outcome = {outcome.verdict, outcome.evidence, {outcome.reason}, outcome.exit_code};
  return input;
}

std::filesystem::path source(const std::string& relative) {
  return std::filesystem::path(SINKPROOF_SOURCE_DIR) / relative;
}

}  // namespace sinkproof::report::test
