// Three implementations of the same gradient: finite differences in double, the plain reference,
// and the kernels on every instruction set this processor has.
#include <hwy/targets.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "stack_reference.hpp"
#include "train/kernels.hpp"
#include "train/step.hpp"

namespace sinkproof::train {
namespace {

reference::Weights<double> random_weights(std::size_t n, double spread, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, spread);
  const auto draw = [&] {
    std::vector<double> matrix(n * n);
    for (double& entry : matrix) entry = static_cast<float>(normal(engine));
    return matrix;
  };
  reference::Weights<double> weights;
  weights.query = draw();
  weights.key = draw();
  weights.value = draw();
  weights.output = draw();
  return weights;
}

std::vector<std::vector<double>*> matrices(reference::Weights<double>& weights) {
  return {&weights.query, &weights.key, &weights.value, &weights.output};
}

AlignedFloats padded(std::size_t n, reference::Weights<double>& weights) {
  AlignedFloats packed(weight_floats(n));
  for (std::size_t which = 0; which < kWeightMatrices; ++which) {
    for (std::size_t at = 0; at < n * n; ++at) {
      packed.data()[(which * n + at / n) * row_stride(n) + at % n] =
          static_cast<float>((*matrices(weights)[which])[at]);
    }
  }
  return packed;
}

// Largest deviation of the kernels' gradient, relative to each matrix's largest entry.
double gradient_deviation(std::size_t n, reference::Weights<double>& expected,
                          const float* actual) {
  double worst = 0;
  for (std::size_t which = 0; which < kWeightMatrices; ++which) {
    const std::vector<double>& matrix = *matrices(expected)[which];
    double largest = 0;
    double deviation = 0;
    for (std::size_t at = 0; at < n * n; ++at) {
      const double found = actual[(which * n + at / n) * row_stride(n) + at % n];
      largest = std::max(largest, std::abs(matrix[at]));
      deviation = std::max(deviation, std::abs(found - matrix[at]));
    }
    REQUIRE(largest > 0);
    worst = std::max(worst, deviation / largest);
  }
  return worst;
}

}  // namespace

TEST_CASE("the reference's gradient agrees with finite differences") {
  const auto attention = GENERATE(Attention::kSoftmax, Attention::kRelu);
  const Shape shape{attention, GENERATE(std::size_t{4}, std::size_t{6}), 5};
  const BatchId batch{7, 3};
  constexpr std::uint32_t kSamples = 3;
  auto weights = random_weights(shape.d_model, 0.7, 11);
  auto result = reference::batch_gradient<double>(shape, {weights}, batch, kSamples);
  constexpr double kStep = 1e-6;
  int checked = 0;
  for (std::size_t which = 0; which < kWeightMatrices; ++which) {
    for (std::size_t at = 0; at < shape.d_model * shape.d_model; ++at) {
      double& entry = (*matrices(weights)[which])[at];
      const double kept = entry;
      entry = kept + kStep;
      const double above =
          reference::batch_gradient<double>(shape, {weights}, batch, kSamples).loss;
      entry = kept - kStep;
      const double below =
          reference::batch_gradient<double>(shape, {weights}, batch, kSamples).loss;
      entry = kept;
      const double slope = (above - below) / (2 * kStep);
      REQUIRE((*matrices(result.gradient[0])[which])[at] ==
              Approx(slope).epsilon(1e-5).margin(1e-8));
      ++checked;
    }
  }
  REQUIRE(checked == static_cast<int>(4 * shape.d_model * shape.d_model));
}

TEST_CASE("the kernels' loss, L-inf and gradient agree with the reference on every target") {
  struct Case {
    Attention attention;
    std::size_t d_model, length;
    std::uint32_t samples;
    double spread;
  };
  const auto at = GENERATE(values<Case>({
      {Attention::kSoftmax, 16, 16, 128, 0.02},
      {Attention::kRelu, 16, 16, 128, 0.02},
      {Attention::kSoftmax, 16, 16, 33, 0.5},
      {Attention::kRelu, 16, 16, 33, 0.5},
      {Attention::kSoftmax, 4, 3, 1, 0.8},
      {Attention::kRelu, 4, 3, 1, 0.8},
      {Attention::kSoftmax, 5, 4, 17, 0.8},
      {Attention::kRelu, 7, 9, 40, 0.6},
      {Attention::kSoftmax, 19, 21, 5, 0.4},
      {Attention::kRelu, 33, 12, 70, 0.3},
  }));
  const Shape shape{at.attention, at.d_model, at.length};
  const BatchId batch{5, (std::uint64_t{1} << 33U) + 9};
  auto weights = random_weights(shape.d_model, at.spread, 3);
  auto expected = reference::batch_gradient<double>(shape, {weights}, batch, at.samples);
  const AlignedFloats packed = padded(shape.d_model, weights);
  int targets = 0;
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    INFO(kernel_target());
    BatchGradient step(shape, at.samples, 1);
    const Evaluation some = step.evaluate(packed.data(), batch, false);
    REQUIRE_FALSE(some.linf_exact);
    REQUIRE(some.linf_at_least <= expected.linf * (1 + 1e-5));
    const std::vector<float> kept(step.gradient(), step.gradient() + weight_floats(shape.d_model));
    const Evaluation all = step.evaluate(packed.data(), batch, true);
    REQUIRE(std::equal(kept.begin(), kept.end(), step.gradient()));
    REQUIRE(all.linf_exact);
    REQUIRE(all.loss == some.loss);
    REQUIRE(all.loss == Approx(expected.loss).epsilon(1e-5));
    REQUIRE(all.linf_at_least == Approx(expected.linf).epsilon(1e-5));
    REQUIRE(gradient_deviation(shape.d_model, expected.gradient[0], step.gradient()) < 2e-5);
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  REQUIRE(targets >= 1);
}

}  // namespace sinkproof::train
