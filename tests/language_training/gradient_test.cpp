// The fast pass against the plain one in double, and that against differences; on every instruction
// set compiled in that runs here.
#include <hwy/targets.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "decoder_reference.hpp"
#include "decoders.hpp"
#include "language_training/step.hpp"
#include "train/kernels.hpp"

namespace sinkproof::language_training {
namespace {

// The largest difference over a tensor's gradient, over the tensor's largest entry.
double worst(const Parameter& parameter, const float* fast, const std::vector<double>& plain) {
  double most = 0;
  double difference = 0;
  for (std::size_t i = parameter.at; i < parameter.at + parameter.count(); ++i) {
    most = std::max(most, std::abs(plain[i]));
    difference = std::max(difference, std::abs(fast[i] - plain[i]));
  }
  REQUIRE(most > 0);
  return difference / most;
}

// The mean weights of each place, of the reference's weights.
std::vector<double> column_means(const Decoder& decoder, const std::vector<double>& attention) {
  const std::size_t slots = decoder.kind.slots();
  const std::size_t keys = slots + decoder.length;
  std::vector<double> means;
  for (std::size_t head = 0; head < attention.size() / (decoder.length * keys); ++head) {
    const double* const weights = attention.data() + head * decoder.length * keys;
    for (std::size_t key = 0; key < keys; ++key) {
      const std::size_t first = key < slots ? 0 : key - slots;
      double sum = 0;
      for (std::size_t row = first; row < decoder.length; ++row) {
        double whole = 0;
        for (std::size_t k = 0; k < keys; ++k) whole += std::abs(weights[row * keys + k]);
        if (whole > 0) sum += std::abs(weights[row * keys + key]) / whole;
      }
      means.push_back(sum / static_cast<double>(decoder.length - first));
    }
  }
  return means;
}

void compare(const NamedDecoder& named, std::uint32_t sequences) {
  INFO(named.name << " on " << train::kernel_target());
  const Decoder& decoder = named.decoder;
  const Weights weights = perturbed_weights(decoder, 1);
  Step step(decoder, sequences, 2);
  const auto tokens = random_tokens(decoder, sequences, 2);
  step.load(weights);
  const ReferenceResult plain = reference_gradient(decoder, as_doubles(weights.values), tokens);
  CHECK(step.gradient(weights, tokens.data()) == Approx(plain.loss).epsilon(1e-6));
  Weights updated = perturbed_weights(decoder, 1);
  step.update({}, updated);  // adds the shares up
  for (const Parameter& parameter : parameters(decoder)) {
    INFO(parameter.name);
    CHECK(worst(parameter, step.gradient(), plain.gradient) < 3e-5);
  }
  const std::vector<double> means = column_means(decoder, plain.attention);
  std::vector<float> attention(means.size());
  CHECK(step.loss(weights, tokens.data(), sequences, attention.data()) ==
        Approx(plain.loss).epsilon(1e-6));
  double difference = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    difference = std::max(difference, std::abs(means[i] - attention[i]));
  }
  CHECK(difference < 1e-5);
}

}  // namespace

TEST_CASE("The fast gradient is the plain one, for every kind, mask and instruction set") {
  for (const std::int64_t target : train::kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const NamedDecoder& named : small_decoders()) compare(named, 5);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("The plain gradient is that of the loss: differences of every tensor, every kind") {
  for (const NamedDecoder& named : small_decoders()) {
    Decoder decoder = named.decoder;
    decoder.width = 16;
    decoder.heads = 2;
    decoder.length = std::min<std::size_t>(decoder.length, 9);
    INFO(named.name);
    const std::vector<double> weights = as_doubles(perturbed_weights(decoder, 3).values);
    const auto tokens = random_tokens(decoder, 1, 4);
    const ReferenceResult plain = reference_gradient(decoder, weights, tokens);
    for (const Parameter& parameter : parameters(decoder)) {
      // Along the gradient of this tensor alone, so that each of its entries counts.
      double squares = 0;
      std::vector<double> ahead = weights;
      std::vector<double> behind = weights;
      for (std::size_t i = parameter.at; i < parameter.at + parameter.count(); ++i) {
        squares += plain.gradient[i] * plain.gradient[i];
      }
      // So small that it meets no kink of a ReLU.
      const double step = 1e-6 / std::sqrt(squares);
      for (std::size_t i = parameter.at; i < parameter.at + parameter.count(); ++i) {
        ahead[i] += step * plain.gradient[i];
        behind[i] -= step * plain.gradient[i];
      }
      INFO(parameter.name);
      const double difference = reference_gradient(decoder, ahead, tokens).loss -
                                reference_gradient(decoder, behind, tokens).loss;
      CHECK(difference / (2 * step) == Approx(squares).epsilon(1e-4));
    }
  }
}

TEST_CASE("Loss, gradient and update are the same bytes whatever the number of threads") {
  const Decoder decoder{kAttentionKinds[0], 32, 2, 2, 24};
  std::vector<float> first;
  for (const std::size_t jobs : {1U, 2U, 3U, 7U}) {
    Weights weights = initial_weights(decoder, 5);
    Step step(decoder, 11, jobs);
    step.load(weights);
    for (unsigned made = 0; made < 3; ++made) {
      step.gradient(weights, random_tokens(decoder, 11, made).data());
      step.update({1e-2, 0.1, 0.5}, weights);
    }
    const std::vector<float> now(weights.values.data(),
                                 weights.values.data() + weights.values.size());
    if (first.empty()) first = now;
    CHECK(now == first);
  }
}

}  // namespace sinkproof::language_training
