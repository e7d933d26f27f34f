// Random small heads: whatever certify claims, the trusted checker accepts, and no input found by
// sampling the whole box (interior points too) contradicts it.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <random>

#include "certify/certify.hpp"
#include "certify/row_problem.hpp"
#include "check/check.hpp"
#include "model/attention_model.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"

using namespace sinkproof;

namespace {

std::string random_checkpoint(std::mt19937_64& random, std::size_t n, std::size_t length,
                              const std::string& attention, double scale) {
  std::normal_distribution<float> normal(0, static_cast<float>(scale));
  safetensors::Contents contents;
  contents.metadata = {{"attention", attention}, {"seq_len", std::to_string(length)}};
  for (const char* name : {"W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"}) {
    std::vector<float> values(n * n);
    for (float& value : values) value = normal(random);
    contents.tensors[name] = output::float32_tensor({n, n}, values);
  }
  return output::serialize(contents);
}

// The largest loss over random inputs of every row of a class.
double sampled_loss(const certify::Layer& layer, const model::AttentionModel& model,
                    certify::RowClass rows, std::mt19937_64& random) {
  const std::size_t first = rows == certify::RowClass::kPre       ? 2
                            : rows == certify::RowClass::kTrigger ? 3
                                                                  : 4;
  const std::size_t last = rows == certify::RowClass::kPre ? model.length - 1 : model.length;
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0;
  for (std::size_t row = first; row <= last; ++row) {
    certify::RowProblem problem(layer, rows, row);
    std::vector<double> noise(problem.variables());
    for (int sample = 0; sample < 60; ++sample) {
      for (double& u : noise) {
        u = uniform(random);
        if (sample % 2 == 0) u = u < 0 ? -1 : 1;
      }
      for (std::size_t r = 0; r < model.d_model; ++r) {
        problem.aim_at_loss(r, 1);
        worst = std::max(worst, std::fabs(problem.value(noise)));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("certificates of random heads are accepted and true") {
  std::mt19937_64 random(6);
  const output::TemporaryFolder folder;
  const auto path = folder / "head.safetensors";
  for (int round = 0; round < 24; ++round) {
    const std::size_t n = 4 + random() % 4;
    const std::size_t length = 3 + random() % 4;
    const std::string attention = round % 2 == 0 ? "softmax" : "relu";
    const double scale = std::pow(10.0, -1.5 + 0.25 * static_cast<double>(random() % 7));
    const std::string bytes = random_checkpoint(random, n, length, attention, scale);
    REQUIRE(output::replace(path, bytes).has_value());
    const auto model = model::load(path, {});
    REQUIRE(model.has_value());
    certify::Options options;
    options.claim_hash = std::string(64, '0');
    const auto certification = certify::certify(*model, options);
    REQUIRE(certification.has_value());
    const auto outcome = check::check_checkpoint(certification->certificate(), {bytes});
    INFO("n " << n << " L " << length << " " << attention << " scale " << scale << ": "
              << outcome.reason);
    CHECK(outcome.exit_code == 0);
    const certify::Layer layer = certify::make_layer(*model);
    for (const auto& property : certification->properties) {
      if (!property.name.starts_with("sup-loss.")) continue;
      const auto rows = property.name.ends_with("pre")       ? certify::RowClass::kPre
                        : property.name.ends_with("trigger") ? certify::RowClass::kTrigger
                                                             : certify::RowClass::kPost;
      INFO(property.name);
      CHECK(*property.lower <= *property.upper);
      CHECK(sampled_loss(layer, *model, rows, random) <=
            rounded::to_double_estimate(*property.upper) * (1 + 1e-9) + 1e-12);
    }
  }
  std::filesystem::remove(path);
}
