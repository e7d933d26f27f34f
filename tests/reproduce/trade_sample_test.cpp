#include "reproduce/trade_sample.hpp"

#include <catch2/catch.hpp>

namespace sinkproof::reproduce {
namespace {

model::AttentionModel example(const std::string& name) {
  auto model = model::load(std::string(SINKPROOF_SOURCE_DIR) + "/examples/" + name, {});
  REQUIRE(model);
  return std::move(*model);
}

}  // namespace

TEST_CASE("The construction without a sink is found as it is known on paper") {
  const model::AttentionModel model = example("stacks/no-sink.safetensors");
  const TradeSample sample = trade_sample(model, 200, 3);
  // Its certificate: at most 4.868e-6 on all inputs.
  CHECK(sample.linf < 4.869e-6);
  CHECK(sample.linf > 1e-6);
  CHECK(sample.loss > 0);
  CHECK(sample.loss < sample.linf * sample.linf);
  // Row 2 pays BOS a half, row i 1/i, but for triggers.
  CHECK(sample.largest_bos == Approx(0.5).margin(1e-6));
  CHECK(sample.largest_mean_bos == Approx(0.5).margin(1e-6));
  double uniform = 0;
  for (int row = 2; row <= 16; ++row) uniform += 1.0 / row / 15;
  CHECK(sample.mean_bos == Approx(uniform).epsilon(0.2));
  // v = 4/3 and 2: N = 7, N sum v / (1 + v) = 7 (4/7 + 2/3).
  CHECK(sample.value_growth == Approx(26.0 / 3));
}

TEST_CASE("A trained head's sink is seen; seeds are other sequences, and no more than that") {
  const model::AttentionModel model = example("variants/softmax.safetensors");
  const TradeSample sample = trade_sample(model, 300, 0);
  CHECK(sample.mean_bos > 0.8);
  CHECK(sample.largest_mean_bos > sample.mean_bos);
  CHECK(sample.largest_bos >= sample.largest_mean_bos);
  CHECK(sample.largest_bos <= 1);
  CHECK(sample.linf < 0.1);
  const TradeSample other = trade_sample(model, 300, 1);
  CHECK(other.mean_bos != sample.mean_bos);
  CHECK(other.mean_bos == Approx(sample.mean_bos).margin(0.01));
  CHECK(other.value_growth == sample.value_growth);
}

}  // namespace sinkproof::reproduce
