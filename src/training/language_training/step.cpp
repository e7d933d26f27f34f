#include "language_training/step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "train/kernels.hpp"
#include "train/normal.hpp"
#include "train/philox.hpp"

namespace sinkproof::language_training {
namespace {

// Tokens of a pass: their activations stay near the processor, and each weight read serves many.
constexpr std::size_t kPassTokens = 256;

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.95;
constexpr double kEpsilon = 1e-8;

// Separates the initial weights from what else a seed decides.
constexpr std::uint32_t kInitialWeights = 18;
constexpr double kDeviation = 0.02;

void draw_normal(const Parameter& parameter, double deviation, std::uint64_t seed, float* values) {
  const train::PhiloxKey key = {static_cast<std::uint32_t>(seed),
                                static_cast<std::uint32_t>(seed >> 32U)};
  for (std::size_t i = 0; i < parameter.count(); ++i) {
    const auto at = static_cast<std::uint32_t>(parameter.at + i);
    const auto words = train::philox4x32({at, 0, 0, kInitialWeights}, key);
    values[parameter.at + i] =
        static_cast<float>(deviation * train::box_muller(words[0], words[1]).first);
  }
}

std::size_t padded(const Parameter& parameter) { return rounded_up(parameter.count(), kPadding); }

}  // namespace

Weights initial_weights(const Decoder& decoder, std::uint64_t seed) {
  const std::size_t floats = layout(decoder).floats;
  Weights weights{0, train::AlignedFloats(floats), train::AlignedFloats(floats),
                  train::AlignedFloats(floats)};
  const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(decoder.layers));
  for (const Parameter& parameter : parameters(decoder)) {
    float* const values = weights.values.data();
    if (parameter.beginning == Beginning::kOnes) {
      std::fill_n(values + parameter.at, parameter.count(), 1.0F);
    } else if (parameter.beginning == Beginning::kNormal) {
      draw_normal(parameter, kDeviation, seed, values);
    } else if (parameter.beginning == Beginning::kNormalResidual) {
      draw_normal(parameter, residual, seed, values);
    } else if (parameter.beginning == Beginning::kNormalByRows) {
      const auto rows = static_cast<double>(parameter.shape.front());
      draw_normal(parameter, std::sqrt(2.0 / 5.0 / rows), seed, values);
    }
  }
  return weights;
}

Step::Step(const Decoder& decoder, std::uint32_t sequences, std::size_t jobs)
    : plan_(decoder),
      sequences_(sequences),
      shares_(std::min<std::size_t>(kShares, sequences)),
      part_(std::clamp<std::size_t>(kPassTokens / decoder.length, 1,
                                    (sequences + shares_ - 1) / shares_)),
      crew_(std::min(jobs, shares_)),
      scratch_floats_(scratch_floats(decoder, part_)),
      scratch_(scratch_floats_ * crew_.workers()),
      gradients_(plan_.layout.floats * shares_),
      gradient_(plan_.layout.floats),
      packed_(plan_.packed_floats),
      parameters_(parameters(decoder)) {
  sums_.resize(std::max(shares_, parameters_.size()));
}

Step::Share Step::share(std::size_t which, std::size_t sequences) const {
  const std::size_t first = sequences * which / shares_;
  return {first, sequences * (which + 1) / shares_ - first};
}

// The sum of of_part(share, first sequence, request, scratch) over the parts of all shares.
template <typename OfPart>
double Step::over_shares(const Weights& weights, const std::uint16_t* tokens, std::size_t sequences,
                         const OfPart& of_part) {
  crew_.run(static_cast<std::uint32_t>(shares_), [&](std::size_t worker, std::size_t which) {
    const Share all = share(which, sequences);
    sums_[which] = 0;
    for (std::size_t done = 0; done < all.sequences; done += part_) {
      const std::size_t first = all.first + done;
      const PassRequest request{plan_, weights.values.data(), packed_.data(),
                                tokens + first * (plan_.decoder.length + 1),
                                std::min(part_, all.sequences - done)};
      sums_[which] += of_part(which, first, request, scratch_.data() + worker * scratch_floats_);
    }
  });
  double sum = 0;
  for (std::size_t which = 0; which < shares_; ++which) sum += sums_[which];
  const std::size_t asked = plan_.decoder.length - plan_.decoder.first_asked();
  return sum / static_cast<double>(sequences * asked);
}

double Step::gradient(const Weights& weights, const std::uint16_t* tokens) {
  const std::size_t floats = plan_.layout.floats;
  const std::size_t asked = plan_.decoder.length - plan_.decoder.first_asked();
  const float factor = 1.0F / static_cast<float>(sequences_ * asked);
  std::fill_n(gradients_.data(), gradients_.size(), 0.0F);
  return over_shares(
      weights, tokens, sequences_,
      [&](std::size_t which, std::size_t, const PassRequest& request, float* scratch) {
        return pass_gradient(request, factor, scratch, gradients_.data() + which * floats);
      });
}

double Step::loss(const Weights& weights, const std::uint16_t* tokens, std::uint32_t sequences,
                  float* attention) {
  const Decoder& decoder = plan_.decoder;
  const std::size_t means =
      decoder.layers * decoder.heads * (decoder.kind.slots() + decoder.length);
  return over_shares(
      weights, tokens, sequences,
      [&](std::size_t, std::size_t first, const PassRequest& request, float* scratch) {
        return pass_loss(request, scratch,
                         attention == nullptr ? nullptr : attention + first * means);
      });
}

void Step::load(const Weights& weights) {
  crew_.run(static_cast<std::uint32_t>(plan_.matrices.size()), [&](std::size_t, std::size_t which) {
    pack_matrix(plan_, weights.values.data(), which, packed_.data());
  });
}

void Step::update(const Rate& rate, Weights& weights) {
  const std::size_t floats = plan_.layout.floats;
  const auto pieces = static_cast<std::uint32_t>(parameters_.size());
  crew_.run(pieces, [&](std::size_t, std::size_t which) {
    const Parameter& parameter = parameters_[which];
    sums_[which] = add_up(padded(parameter), shares_, floats, gradients_.data() + parameter.at,
                          gradient_.data() + parameter.at);
  });
  double squares = 0;
  for (std::size_t which = 0; which < pieces; ++which) squares += sums_[which];
  const double norm = std::sqrt(squares);
  const auto power = static_cast<double>(++weights.steps);
  train::AdamFactors factors;
  factors.step = static_cast<float>(rate.lr / (1.0 - std::pow(kBeta1, power)));
  factors.root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, power)));
  factors.beta1 = static_cast<float>(kBeta1);
  factors.beta2 = static_cast<float>(kBeta2);
  factors.epsilon = static_cast<float>(kEpsilon);
  factors.gradient = static_cast<float>(rate.clip > 0 && norm > rate.clip ? rate.clip / norm : 1.0);
  const auto keep = static_cast<float>(1.0 - rate.lr * rate.weight_decay);
  crew_.run(pieces, [&](std::size_t, std::size_t which) {
    const Parameter& parameter = parameters_[which];
    train::AdamFactors own = factors;
    if (parameter.decays()) own.keep = keep;
    const std::size_t at = parameter.at;
    train::adam_update(own, padded(parameter), gradient_.data() + at, weights.first.data() + at,
                       weights.second.data() + at, weights.values.data() + at);
  });
  load(weights);
}

}  // namespace sinkproof::language_training
