#include "train/task.hpp"

#include <hwy/targets.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "train/aligned.hpp"
#include "train/kernels.hpp"
#include "train/philox.hpp"

namespace sinkproof::train {

TEST_CASE("Philox gives the authors' known answers") {
  // Random123's kat_vectors for philox4x32, 10 rounds.
  REQUIRE(philox4x32({0, 0, 0, 0}, {0, 0}) ==
          PhiloxCounter{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
  REQUIRE(philox4x32({0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU},
                     {0xffffffffU, 0xffffffffU}) ==
          PhiloxCounter{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU});
  REQUIRE(philox4x32({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U},
                     {0xa4093822U, 0x299f31d0U}) ==
          PhiloxCounter{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U});
}

TEST_CASE("xoshiro128+ gives the known answers of its reference code") {
  StreamState state = {1, 2, 3, 4};
  const std::vector<std::uint32_t> expected = {5U,         12295U,      25178119U,   27286542U,
                                               39879690U,  1140358681U, 3276312097U, 4110231701U,
                                               399823256U, 2144435200U};
  for (const std::uint32_t word : expected) REQUIRE(next_word(state) == word);
}

TEST_CASE("random words become noise and trigger positions at their ends too") {
  REQUIRE(noise_value(0x7fffffffU) == 1.0F - 0x1p-24F);
  REQUIRE(noise_value(0x80000000U) == -1.0F + 0x1p-24F);
  REQUIRE(noise_value(0) == 0x1p-24F);
  REQUIRE(noise_value(0xffffffffU) == -0x1p-24F);
  REQUIRE(trigger_position(0, 16) == 3);
  REQUIRE(trigger_position(0xffffffffU, 16) == 16);
  REQUIRE(trigger_position(0xffffffffU, 3) == 3);
}

TEST_CASE("a sample is a sequence of the task, and so is its target") {
  const Shape shape{Attention::kSoftmax, 6, 5};
  for (std::uint32_t index = 0; index < 50; ++index) {
    const Sample sample = draw_sample(shape, {1, 2}, index);
    REQUIRE(sample.trigger >= 3);
    REQUIRE(sample.trigger <= 5);
    for (std::size_t i = 1; i <= 5; ++i) {
      const float* token = sample.tokens.data() + (i - 1) * 6;
      REQUIRE(token[0] == (i == 1 ? 1.0F : 0.0F));
      REQUIRE(token[1] == (i == sample.trigger ? 1.0F : 0.0F));
      REQUIRE(token[5] == (i > 1 && i != sample.trigger ? 1.0F : 0.0F));
      for (std::size_t c = 2; c < 5; ++c) {
        REQUIRE((i == 1) == (token[c] == 0.0F));
        REQUIRE(std::abs(token[c]) <= 1.0F);
      }
    }
    const std::vector<float> y = targets(shape, sample.trigger, sample.tokens);
    double mean = 0;
    for (std::size_t k = 2; k <= sample.trigger; ++k) mean += sample.tokens[(k - 1) * 6 + 2];
    mean /= static_cast<double>(sample.trigger - 1);
    REQUIRE(y[(sample.trigger - 1) * 6 + 2] == Approx(mean).margin(1e-6));
    REQUIRE(y[(sample.trigger - 1) * 6] == 0.0F);
    REQUIRE(y[(sample.trigger - 1) * 6 + 1] == 1.0F / static_cast<float>(sample.trigger - 1));
    for (std::size_t i = 1; i <= 5; ++i) {
      if (i == sample.trigger) continue;
      for (std::size_t c = 0; c < 6; ++c) REQUIRE(y[(i - 1) * 6 + c] == 0.0F);
    }
    Shape residual = shape;
    residual.residual = true;
    const std::vector<float> sum = targets(residual, sample.trigger, sample.tokens);
    for (std::size_t c = 0; c < y.size(); ++c) REQUIRE(sum[c] == y[c] + sample.tokens[c]);
  }
}

TEST_CASE("noise and triggers have the task's distribution, and streams differ") {
  const Shape shape{Attention::kSoftmax, 5, 6};
  constexpr std::uint32_t kSamples = 20000;
  double sum = 0;
  double squares = 0;
  double neighbours = 0;
  std::vector<int> at(7, 0);
  for (std::uint32_t index = 0; index < kSamples; ++index) {
    const Sample sample = draw_sample(shape, {9, 4}, index);
    const double u = sample.tokens[5 + 2];
    const double v = draw_sample(shape, {9, 5}, index).tokens[5 + 2];
    sum += u;
    squares += u * u;
    neighbours += u * v;
    ++at[sample.trigger];
  }
  // Four standard deviations of each mean.
  REQUIRE(std::abs(sum / kSamples) < 4 * std::sqrt(1.0 / 3 / kSamples));
  REQUIRE(std::abs(squares / kSamples - 1.0 / 3) < 4 * std::sqrt(4.0 / 45 / kSamples));
  REQUIRE(std::abs(neighbours / kSamples) < 4 * std::sqrt(1.0 / 9 / kSamples));
  for (std::size_t j = 3; j <= 6; ++j) {
    REQUIRE(std::abs(at[j] / double{kSamples} - 0.25) < 4 * std::sqrt(0.1875 / kSamples));
  }
}

TEST_CASE("the kernels draw the very bits of draw_sample on every target") {
  // ReLU attention with logit 1 between non-BOS tokens: row 2 mixes token 2 alone with weight 1, so
  // at L = 3 the moment (noise c, 1) of one sample is the noise u_c of its token 2, unrounded.
  constexpr std::size_t kN = 19;
  const Shape shape{Attention::kRelu, kN, 3};
  const std::size_t matrix = kN * row_stride(kN);
  AlignedFloats logits(matrix);
  AlignedFloats zero(matrix);
  logits.data()[(kN - 2) * row_stride(kN) + (kN - 2)] = 1.0F;
  const Operators operators{logits.data(), zero.data(), zero.data(), zero.data()};
  int compared = 0;
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    AlignedFloats scratch(scratch_floats(shape));
    AlignedFloats sums(chunk_sums_floats(kN));
    const SumsLayout layout = sums_layout(kN);
    AlignedFloats totals(layout.count);
    for (const std::uint32_t index : {0U, 1U, 77U}) {
      const BatchId batch{(std::uint64_t{3} << 40U) + 1, (std::uint64_t{1} << 35U) + 2};
      const Sample sample = draw_sample(shape, batch, index);
      chunk_gradient({shape, batch, index, 1, false}, operators, scratch.data(), sums.data());
      total_sums(layout.trigger_linf, layout.count - layout.trigger_linf, 1, sums.data(),
                 totals.data());
      for (std::size_t c = 0; c < kN - 3; ++c) {
        REQUIRE(totals.data()[sums_layout(kN).second + c * kN + (kN - 2)] ==
                sample.tokens[kN + 2 + c]);
        ++compared;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  REQUIRE(compared >= 48);
}

}  // namespace sinkproof::train
