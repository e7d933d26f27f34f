// The pieces of a step other than its gradient: small products, Adam, the crew of threads.
#include "train/step.hpp"

#include <hwy/targets.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "stack_reference.hpp"
#include "train/aligned.hpp"
#include "train/crew.hpp"
#include "train/kernels.hpp"

namespace sinkproof::train {

TEST_CASE("multiply is the product of two matrices on every target") {
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> small(-8, 8);
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const std::size_t n : {4U, 5U, 15U, 16U, 17U, 33U}) {
      const std::size_t stride = row_stride(n);
      AlignedFloats a(n * stride);
      AlignedFloats b(n * stride);
      AlignedFloats c(n * stride);
      for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t col = 0; col < n; ++col) {
          a.data()[row * stride + col] = static_cast<float>(small(engine));
          b.data()[row * stride + col] = static_cast<float>(small(engine));
        }
      }
      multiply(n, a.data(), b.data(), c.data());
      for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t col = 0; col < stride; ++col) {
          float expected = 0;  // small integers: exact
          for (std::size_t k = 0; k < n; ++k) {
            expected += a.data()[row * stride + k] * b.data()[k * stride + col];
          }
          REQUIRE(c.data()[row * stride + col] == expected);
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("Adam agrees with the reference on every target, update after update") {
  constexpr std::size_t kCount = 48;
  const double decay = GENERATE(0.0, 5.0);
  const reference::AdamRate rate{2e-3, 0.9, 0.95, 1e-8, decay};
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::mt19937 engine(2);
    std::normal_distribution<double> normal(0, 1e-3);
    AlignedFloats gradient(kCount), first(kCount), second(kCount), weights(kCount);
    std::vector<double> g(kCount), m(kCount, 0.0), v(kCount, 0.0), w(kCount, 0.0);
    for (std::uint64_t update = 1; update <= 20; ++update) {
      for (std::size_t i = 0; i < kCount; ++i) {
        gradient.data()[i] = i == 7 ? 0.0F : static_cast<float>(normal(engine));
        g[i] = gradient.data()[i];
      }
      reference::adam(rate, update, g, m, v, w);
      const auto power = static_cast<double>(update);
      adam_update({static_cast<float>(rate.lr / (1 - std::pow(rate.beta1, power))),
                   static_cast<float>(1 / std::sqrt(1 - std::pow(rate.beta2, power))), 0.9F, 0.95F,
                   1e-8F, static_cast<float>(1 - rate.lr * decay)},
                  kCount, gradient.data(), first.data(), second.data(), weights.data());
      for (std::size_t i = 0; i < kCount; ++i) {
        REQUIRE(weights.data()[i] == Approx(w[i]).epsilon(1e-4).margin(1e-8));
      }
    }
    REQUIRE(weights.data()[7] == 0.0F);
    REQUIRE(std::abs(weights.data()[0]) > 1e-3F);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("Adam's first update is the learning rate against the gradient's sign") {
  std::vector<double> weights = {1.0, 1.0};
  std::vector<double> first(2, 0.0);
  std::vector<double> second(2, 0.0);
  reference::adam({1e-3, 0.9, 0.95, 1e-8}, 1, {5.0, -0.25}, first, second, weights);
  REQUIRE(weights[0] == Approx(0.999).epsilon(1e-7));
  REQUIRE(weights[1] == Approx(1.001).epsilon(1e-7));
}

TEST_CASE("the crew does each piece of each list exactly once") {
  for (const std::size_t workers : {1U, 2U, 5U}) {
    Crew crew(workers);
    REQUIRE(crew.workers() == workers);
    for (std::uint32_t round = 0; round < 3000; ++round) {
      const std::uint32_t pieces = round % 7;
      std::vector<std::atomic<int>> done(pieces);
      std::atomic<bool> strange{false};
      crew.run(pieces, [&](std::size_t worker, std::size_t piece) {
        if (worker >= workers) strange = true;
        ++done[piece];
      });
      REQUIRE_FALSE(strange.load());
      REQUIRE(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
    }
  }
}

TEST_CASE("gradients have the same bytes for any number of jobs") {
  const auto attention = GENERATE(Attention::kSoftmax, Attention::kRelu);
  const std::uint32_t samples = GENERATE(1U, 100U, 128U, 1000U);
  const Shape shape{attention, 9, 7};
  AlignedFloats weights(weight_floats(shape.d_model));
  std::mt19937 engine(5);
  std::normal_distribution<float> normal(0, 0.3F);
  for (std::size_t row = 0; row < kWeightMatrices * shape.d_model; ++row) {
    for (std::size_t col = 0; col < shape.d_model; ++col) {
      weights.data()[row * row_stride(shape.d_model) + col] = normal(engine);
    }
  }
  BatchGradient alone(shape, samples, 1);
  const Evaluation expected = alone.evaluate(weights.data(), {1, 1}, true);
  REQUIRE(std::any_of(alone.gradient(), alone.gradient() + weights.size(),
                      [](float g) { return g != 0; }));
  for (const std::size_t jobs : {2U, 3U, 40U}) {
    BatchGradient together(shape, samples, jobs);
    const Evaluation found = together.evaluate(weights.data(), {1, 1}, true);
    REQUIRE(found.loss == expected.loss);
    REQUIRE(found.linf_at_least == expected.linf_at_least);
    REQUIRE(std::equal(alone.gradient(), alone.gradient() + weights.size(), together.gradient()));
  }
}

}  // namespace sinkproof::train
