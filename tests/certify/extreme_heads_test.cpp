// Heads far from what training gives, with the sizes and scales that once crashed the search or had
// the checker refuse what it found: certify has bounds for all of them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "certify/accepted.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "model/attention_model.hpp"
#include "safetensors/safetensors.hpp"

using namespace sinkproof;

namespace {

std::string gaussian_head(const std::string& attention, std::size_t n, std::size_t length,
                          double deviation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, static_cast<float>(deviation));
  safetensors::Contents contents;
  contents.metadata = {{"attention", attention}, {"seq_len", std::to_string(length)}};
  for (const char* name : {"W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"}) {
    std::vector<float> values(n * n);
    for (float& value : values) value = normal(random);
    contents.tensors[name] = safetensors::float32_tensor({n, n}, values);
  }
  return safetensors::serialize(contents);
}

// A trained checkpoint with every weight times a factor.
std::string scaled_checkpoint(const std::string& name, float factor) {
  const auto path = std::filesystem::path(SINKPROOF_SOURCE_DIR) / "tests" / "checkpoints" / name;
  auto contents = safetensors::read(path);
  REQUIRE(contents.has_value());
  for (auto& [tensor_name, tensor] : contents->tensors) {
    auto values = *safetensors::float32_values(tensor, tensor_name);
    for (float& value : values) value *= factor;
    tensor = safetensors::float32_tensor(tensor.shape, values);
  }
  return safetensors::serialize(*contents);
}

exact::Result<certify::Certification> certify_bytes(const std::string& bytes,
                                                    certify::Options options = {}) {
  const auto path = std::filesystem::path(SINKPROOF_BINARY_DIR) / "extreme_head.safetensors";
  REQUIRE(file::replace(path, bytes).has_value());
  const auto model = model::load(path, {});
  std::filesystem::remove(path);
  REQUIRE(model.has_value());
  options.claim_hash = std::string(64, '0');
  options.effort.nodes = 2000;
  return certify::certify_accepted(*model, options, [&](const json::Value& certificate) {
    const auto outcome = check::check_checkpoint(certificate, bytes);
    return outcome.exit_code == 0 ? exact::Result<void>()
                                  : exact::fail(outcome.code, "test", outcome.reason);
  });
}

void require_bounds(const exact::Result<certify::Certification>& certification) {
  if (!certification) FAIL(certification.error().code << " " << certification.error().what);
  for (const auto& property : certification->properties) {
    if (property.name.starts_with("theorem.")) continue;
    INFO(property.name);
    REQUIRE(property.lower.has_value());
    REQUIRE(property.upper.has_value());
    CHECK(*property.lower <= *property.upper);
  }
}

const certify::Property& property_of(const certify::Certification& certification,
                                     const std::string& name) {
  for (const auto& property : certification.properties) {
    if (property.name == name) return property;
  }
  FAIL("no property " << name);
  throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("Gaussian softmax heads that overflowed the search's doubles get bounds") {
  const auto [deviation, n, length] = GENERATE(table<double, std::size_t, std::size_t>(
      {{0.3, 16, 16}, {0.8, 8, 8}, {1.5, 4, 8}, {2, 4, 8}, {3, 4, 8}}));
  for (const unsigned seed : {1U, 2U, 3U}) {
    INFO("deviation " << deviation << ", d_model " << n << ", length " << length << ", seed "
                      << seed);
    require_bounds(certify_bytes(gaussian_head("softmax", n, length, deviation, seed)));
  }
}

TEST_CASE("trained heads times 300 and 10^4 get bounds, and the sink stays certified") {
  const float factor = GENERATE(300.0F, 1e4F);
  INFO("factor " << factor);
  const auto softmax = certify_bytes(scaled_checkpoint("softmax-d8-l8.safetensors", factor));
  require_bounds(softmax);
  for (const char* name : {"bos-floor.pre", "bos-floor.post"}) {
    CHECK(*property_of(*softmax, name).lower >= exact::make_rational(999, 1000));
  }
  require_bounds(certify_bytes(scaled_checkpoint("relu-d8-l8.safetensors", factor)));
}
