// The gradient of every attention kind, of several heads and layers, of biases: finite differences
// in double, the plain reference, and the general kernels on every instruction set this processor
// has.
#include <hwy/targets.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "reference_weights.hpp"
#include "stack_reference.hpp"
#include "train/general_step.hpp"
#include "train/kernels.hpp"
#include "train/parameters.hpp"
#include "train/step.hpp"

namespace sinkproof::train {
namespace {

AlignedFloats random_parameters(const Shape& shape, double spread, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, spread);
  AlignedFloats padded(parameter_floats(shape));
  for (const Parameter& parameter : parameters(shape)) {
    std::vector<float> values(parameter.rows * parameter.cols);
    for (float& value : values) value = static_cast<float>(normal(engine));
    set_dense(parameter, values, padded);
  }
  return padded;
}

reference::Stack<double> as_reference(const Shape& shape, const AlignedFloats& padded) {
  std::map<std::string, std::vector<float>> tensors;
  for (const Parameter& parameter : parameters(shape)) {
    tensors[parameter.name] = dense(parameter, padded);
  }
  return reference_weights(shape, tensors);
}

double largest_entry(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Softmax does not see a constant added to a row's logits, which is all that W_K.bias does.
bool has_no_effect(const Shape& shape, const Parameter& parameter) {
  const certificate::AttentionKind& kind = certificate::kind_of(shape.attention);
  return kind.is_relative() && !kind.null_slot && parameter.name.ends_with("W_K.bias");
}

// layers.1.W_K.bias: layers.1.W_K.weight.
std::string weight_beside(const std::string& bias) {
  return bias.substr(0, bias.size() - 4) + "weight";
}

// Largest deviation of a gradient, relative to each parameter's largest entry (W_K.weight's where
// W_K.bias has no effect).
double gradient_deviation(const Shape& shape, reference::Stack<double>& expected,
                          const float* actual) {
  AlignedFloats padded(parameter_floats(shape));
  std::copy_n(actual, padded.size(), padded.data());
  double worst = 0;
  for (const Parameter& parameter : parameters(shape)) {
    const std::vector<double>& wanted = *named(expected).at(parameter.name);
    const std::vector<float> found = dense(parameter, padded);
    const bool zero = has_no_effect(shape, parameter);
    const double largest =
        largest_entry(zero ? *named(expected).at(weight_beside(parameter.name)) : wanted);
    if (zero) REQUIRE(largest_entry(wanted) < 1e-12 * largest);
    double deviation = 0;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      deviation = std::max(deviation, std::abs(found[at] - wanted[at]));
    }
    INFO(parameter.name);
    REQUIRE(largest > 0);
    worst = std::max(worst, deviation / largest);
  }
  return worst;
}

}  // namespace

TEST_CASE("every kind of attention has one name, and the names are its own") {
  REQUIRE(every_attention().size() == 10);
  for (const Attention attention : every_attention()) {
    const auto* kind = certificate::find_attention(certificate::to_string(attention));
    REQUIRE(kind != nullptr);
    REQUIRE(kind->attention == attention);
    REQUIRE(&certificate::kind_of(attention) == kind);
  }
  REQUIRE(certificate::find_attention("cosine") == nullptr);
  REQUIRE(certificate::find_attention("") == nullptr);
}

TEST_CASE("attention weights are the ones the definition gives") {
  // d_model 4, one key coordinate: queries and keys are chosen so that the logits of row 3 are
  // -0.5 (BOS), 1 (content), 2 (trigger).
  Shape shape{Attention::kSoftmax, 4, 3};
  reference::Weights<double> weights;
  weights.query = std::vector<double>(16, 0.0);
  weights.query[1] = 1;  // the trigger flag
  weights.key = {-0.5, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  weights.value = std::vector<double>(16, 0.0);
  weights.output = weights.value;
  weights.gate = {0, 1, 0, 0};
  weights.gate_bias = {0.5};
  weights.sinks = {0.75};
  const std::vector<double> tokens = {1, 0, 0, 0, 0, 0, 0.25, 1, 0, 1, 0.5, 0};
  const double a = std::exp(-0.5);
  const double b = std::exp(1.0);
  const double c = std::exp(2.0);
  const double s = std::exp(0.75);
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double sum = logistic(-0.5) + logistic(1) + logistic(2);
  const std::map<Attention, std::vector<double>> expected = {
      {Attention::kSoftmax, {a / (a + b + c), b / (a + b + c), c / (a + b + c)}},
      {Attention::kSoftmaxGated, {a / (a + b + c), b / (a + b + c), c / (a + b + c)}},
      {Attention::kSoftmaxNull, {a / (1 + a + b + c), b / (1 + a + b + c), c / (1 + a + b + c)}},
      {Attention::kSoftmaxSink, {a / (s + a + b + c), b / (s + a + b + c), c / (s + a + b + c)}},
      {Attention::kRelu, {0, 0.5, 1}},
      {Attention::kLinear, {-0.25, 0.5, 1}},
      {Attention::kSigmoid, {logistic(-0.5) / 2, logistic(1) / 2, logistic(2) / 2}},
      {Attention::kSigmoidNormalised, {logistic(-0.5) / sum, logistic(1) / sum, logistic(2) / sum}},
      {Attention::kElu1, {a / 2, 1, 1.5}},
      {Attention::kElu1Normalised, {a / (a + 5), 2 / (a + 5), 3 / (a + 5)}}};
  REQUIRE(expected.size() == every_attention().size());
  for (const auto& [attention, row] : expected) {
    INFO(certificate::to_string(attention));
    shape.attention = attention;
    const auto kept = reference::forward(shape, weights, tokens);
    for (std::size_t k = 0; k < 3; ++k) REQUIRE(kept.attention[6 + k] == Approx(row[k]));
    REQUIRE(kept.gates[2] == Approx(attention == Attention::kSoftmaxGated ? logistic(1.5) : 1.0));
  }
}

TEST_CASE("the reference's gradient agrees with finite differences for every kind") {
  const auto attention = GENERATE(from_range(every_attention()));
  const auto [layers, heads, bias, residual] =
      GENERATE(table<std::size_t, std::size_t, bool, bool>({{1, 1, false, false},
                                                            {1, 1, true, false},
                                                            {1, 2, false, false},
                                                            {1, 2, true, false},
                                                            {1, 1, false, true},
                                                            {2, 2, false, false},
                                                            {2, 2, true, true},
                                                            {3, 1, true, false}}));
  const Shape shape{attention, 5, 5, heads, bias, layers, residual};
  INFO(certificate::to_string(attention) << ", heads " << heads << ", bias " << bias << ", layers "
                                         << layers << ", residual " << residual);
  const BatchId batch{7, 3};
  const double penalty = GENERATE(0.0, 3.0);
  CAPTURE(penalty);
  constexpr std::uint32_t kSamples = 3;
  auto weights = as_reference(shape, random_parameters(shape, layers == 1 ? 0.4 : 0.2, 11));
  auto result = reference::batch_gradient(shape, weights, batch, kSamples, penalty);
  REQUIRE(result.squared_bos > 0);
  const auto followed = [&] {
    const auto at = reference::batch_gradient(shape, weights, batch, kSamples);
    return at.loss + penalty * at.squared_bos;
  };
  constexpr double kStep = 1e-6;
  std::size_t checked = 0;
  for (const auto& [name, values] : named(weights)) {
    const std::vector<double>& gradient = *named(result.gradient).at(name);
    REQUIRE(gradient.size() == values->size());
    for (std::size_t at = 0; at < values->size(); ++at) {
      double& entry = (*values)[at];
      const double kept = entry;
      entry = kept + kStep;
      const double above = followed();
      entry = kept - kStep;
      const double below = followed();
      entry = kept;
      INFO(name << " " << at);
      REQUIRE(gradient[at] == Approx((above - below) / (2 * kStep)).epsilon(1e-5).margin(1e-8));
      ++checked;
    }
  }
  const std::size_t gate = attention == Attention::kSoftmaxGated ? heads * 6 : 0;
  const std::size_t sinks = attention == Attention::kSoftmaxSink ? heads : 0;
  REQUIRE(checked == layers * (heads * 4 * 25 + gate + sinks + (bias ? heads * 15 + 5 : 0)));
}

TEST_CASE("the general kernels agree with the reference for every kind on every target") {
  struct Case {
    std::size_t d_model, length, heads;
    bool bias;
    std::uint32_t samples;
    double spread;
    std::size_t layers = 1;
    bool residual = false;
  };
  const auto at = GENERATE(values<Case>({{16, 16, 1, false, 128, 0.02},
                                         {16, 16, 2, true, 33, 0.4},
                                         {4, 3, 1, true, 1, 0.8},
                                         {5, 4, 3, false, 17, 0.8},
                                         {19, 21, 1, true, 5, 0.4},
                                         {7, 9, 16, true, 40, 0.3},
                                         {6, 5, 1, false, 20, 0.5, 1, true},
                                         {16, 16, 2, false, 48, 0.2, 2, true},
                                         {16, 7, 2, true, 20, 0.2, 2, true},
                                         {5, 4, 3, false, 17, 0.4, 3, false},
                                         {4, 3, 1, true, 1, 0.5, 2, false},
                                         {9, 9, 2, true, 33, 0.1, 8, true}}));
  const auto attention = GENERATE(from_range(every_attention()));
  const Shape shape{attention, at.d_model, at.length, at.heads, at.bias, at.layers, at.residual};
  INFO(certificate::to_string(attention)
       << ", d_model " << at.d_model << ", length " << at.length << ", layers " << at.layers
       << ", residual " << at.residual);
  const BatchId batch{5, (std::uint64_t{1} << 33U) + 9};
  const AlignedFloats packed = random_parameters(shape, at.spread, 3);
  auto weights = as_reference(shape, packed);
  // In a single sample elu1-normalised's gradient of W_K.bias all but cancels.
  const double penalty = at.samples == 1 ? 0.0 : GENERATE(0.0, 2.0);
  CAPTURE(penalty);
  auto expected = reference::batch_gradient(shape, weights, batch, at.samples, penalty);
  int targets = 0;
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    INFO(kernel_target());
    GeneralGradient step(shape, at.samples, 1, penalty);
    const Evaluation found = step.evaluate(packed.data(), batch, true);
    REQUIRE(found.linf_exact);
    REQUIRE(found.loss == Approx(expected.loss).epsilon(1e-5));
    REQUIRE(found.linf_at_least == Approx(expected.linf).epsilon(1e-5));
    REQUIRE(gradient_deviation(shape, expected.gradient, step.gradient()) < 4e-5);
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  REQUIRE(targets >= 1);
}

TEST_CASE("with all sinks 0, softmax-sink is softmax-null to the last bit") {
  const std::size_t heads = GENERATE(1, 2);
  Shape shape{Attention::kSoftmaxNull, 7, 6, heads, true};
  const AlignedFloats packed = random_parameters(shape, 0.5, 4);
  GeneralGradient null(shape, 20, 1);
  const Evaluation expected = null.evaluate(packed.data(), {3, 1}, true);
  shape.attention = Attention::kSoftmaxSink;
  AlignedFloats with_sinks(parameter_floats(shape));
  std::copy_n(packed.data(), packed.size(), with_sinks.data());
  GeneralGradient sink(shape, 20, 1);
  const Evaluation found = sink.evaluate(with_sinks.data(), {3, 1}, true);
  REQUIRE(found.loss == expected.loss);
  REQUIRE(found.linf_at_least == expected.linf_at_least);
  REQUIRE(std::equal(null.gradient(), null.gradient() + packed.size(), sink.gradient()));
  const Parameter sinks = parameters(shape).back();
  REQUIRE((sinks.name == "sinks" && sinks.offset == packed.size()));
  for (std::size_t h = 0; h < heads; ++h) REQUIRE(sink.gradient()[sinks.offset + h] != 0);
}

TEST_CASE("normalised kernels stay finite at logits no exponential can hold") {
  // All logits far below 0, then far above it: the largest of them must not vanish or overflow.
  const auto attention =
      GENERATE(Attention::kSoftmax, Attention::kSigmoidNormalised, Attention::kElu1Normalised,
               Attention::kSoftmaxNull, Attention::kSoftmaxSink, Attention::kSoftmaxGated);
  const double size = GENERATE(-300.0, 300.0);
  const Shape shape{attention, 6, 5};
  INFO(certificate::to_string(attention) << " " << size);
  AlignedFloats packed(parameter_floats(shape));
  for (const Parameter& parameter : parameters(shape)) {
    std::vector<float> values(parameter.rows * parameter.cols, 0.0F);
    if (parameter.name == "W_Q.weight") values[0] = values[1] = values[5] = 1;
    if (parameter.name == "W_K.weight") {
      for (const std::size_t flag : {0, 1, 5}) values[flag] = static_cast<float>(size);
      values[2] = 1;
    }
    if (parameter.name == "W_V.weight" || parameter.name == "W_O.weight") {
      for (std::size_t c = 0; c < 6; ++c) values[7 * c] = 0.5F;
    }
    set_dense(parameter, values, packed);
  }
  auto expected = reference::batch_gradient(shape, as_reference(shape, packed), {1, 2}, 20);
  REQUIRE(std::isfinite(expected.loss));
  for (const std::int64_t target : kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    INFO(kernel_target());
    GeneralGradient step(shape, 20, 1);
    const Evaluation found = step.evaluate(packed.data(), {1, 2}, true);
    REQUIRE(found.loss == Approx(expected.loss).epsilon(1e-4));
    REQUIRE(std::all_of(step.gradient(), step.gradient() + packed.size(),
                        [](float g) { return std::isfinite(g); }));
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("the general kernels and the ones made for one plain head agree") {
  const auto attention = GENERATE(Attention::kSoftmax, Attention::kRelu);
  const Shape shape{attention, 12, 9};
  const AlignedFloats packed = random_parameters(shape, 0.3, 8);
  REQUIRE(parameter_floats(shape) == weight_floats(12));
  BatchGradient plain(shape, 100, 1);
  GeneralGradient general(shape, 100, 1);
  const Evaluation a = plain.evaluate(packed.data(), {3, 4}, true);
  const Evaluation b = general.evaluate(packed.data(), {3, 4}, true);
  REQUIRE(a.loss == Approx(b.loss).epsilon(1e-5));
  REQUIRE(a.linf_at_least == Approx(b.linf_at_least).epsilon(1e-5));
  float largest = 0;
  float deviation = 0;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    largest = std::max(largest, std::abs(plain.gradient()[at]));
    deviation = std::max(deviation, std::abs(plain.gradient()[at] - general.gradient()[at]));
  }
  REQUIRE(largest > 0);
  REQUIRE(deviation < 1e-5F * largest);
}

}  // namespace sinkproof::train
