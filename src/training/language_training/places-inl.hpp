// How tokens and their positions enter a decoder (positions.hpp): embeddings, biases of logits,
// turns of queries and keys; forward and backward, compiled once for each instruction set, as
// products-inl.hpp is.
#if defined(SINKPROOF_LANGUAGE_PLACES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_PLACES_INL_HPP
#undef SINKPROOF_LANGUAGE_PLACES_INL_HPP
#else
#define SINKPROOF_LANGUAGE_PLACES_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "language_training/rows-inl.hpp"
#include "language_training/space-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// What is added to the token of a position; null: nothing.
const float* PlaceOf(const Pass& pass, std::size_t position) {
  const std::size_t at = position * pass.decoder.width;
  switch (pass.decoder.positions.added) {
    case Added::kLearned:
      return pass.weight(pass.layout.positions) + at;
    case Added::kSinusoids:
      return pass.request.plan.sinusoids.data() + at;
    case Added::kNothing:
      break;
  }
  return nullptr;
}

void Embed(const Pass& pass, float* to) {
  const std::size_t width = pass.decoder.width;
  const std::size_t length = pass.decoder.length;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const std::size_t position = row % length;
    const std::size_t token = pass.request.tokens[row / length * (length + 1) + position];
    const float* const symbol = pass.weight(pass.layout.tokens) + token * width;
    std::copy_n(symbol, width, to + row * width);
    const float* const place = PlaceOf(pass, position);
    for (std::size_t i = 0; place != nullptr && i < width; ++i) to[row * width + i] += place[i];
  }
}
void EmbedBackward(const Pass& pass, float* gradient) {
  const std::size_t width = pass.decoder.width;
  const std::size_t length = pass.decoder.length;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const std::size_t position = row % length;
    const std::size_t token = pass.request.tokens[row / length * (length + 1) + position];
    const float* const from = pass.space.d_out + row * width;
    AddRow(width, 1.0F, from, gradient + pass.layout.tokens + token * width);
    if (pass.decoder.positions.added != Added::kLearned) continue;
    AddRow(width, 1.0F, from, gradient + pass.layout.positions + position * width);
  }
}

// The distance that entry `at` of a head's biases is for.
std::size_t DistanceOf(const Decoder& decoder, std::size_t at) {
  return at < decoder.length ? decoder.length - 1 - at : 0;
}
// Learned biases from their buckets; and d of them into the buckets' gradient.
void SpreadBiases(const Pass& pass) {
  const Decoder& decoder = pass.decoder;
  if (pass.space.biases == nullptr) return;
  std::fill_n(pass.space.d_biases, 2 * decoder.heads * decoder.length, 0.0F);
  const float* const buckets = pass.weight(pass.layout.relative);
  for (std::size_t at = 0; at < 2 * decoder.length; ++at) {
    const std::size_t bucket = bucket_of(DistanceOf(decoder, at));
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      pass.space.biases[2 * head * decoder.length + at] = buckets[bucket * decoder.heads + head];
    }
  }
}
void GatherBiases(const Pass& pass, float* gradient) {
  const Decoder& decoder = pass.decoder;
  if (pass.space.biases == nullptr) return;
  float* const buckets = gradient + pass.layout.relative;
  for (std::size_t at = 0; at < 2 * decoder.length; ++at) {
    const std::size_t bucket = bucket_of(DistanceOf(decoder, at));
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      buckets[bucket * decoder.heads + head] += pass.space.d_biases[2 * head * decoder.length + at];
    }
  }
}

// Turns queries and keys of all rows, which lie as a layer's qkv, by their positions; back with
// `sign` -1, which is also how their gradients go.
void Turn(const Pass& pass, float sign, float* qkv) {
  const Decoder& decoder = pass.decoder;
  if (!decoder.positions.rotary) return;
  const std::size_t half = decoder.head_width() / 2;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const float* const turns =
        pass.request.plan.turns.data() + row % decoder.length * decoder.head_width();
    for (std::size_t head = 0; head < 2 * decoder.heads; ++head) {  // of queries, then of keys
      float* const x = qkv + row * 3 * decoder.width + head * decoder.head_width();
      for (std::size_t c = 0; c < half; ++c) {
        const float cosine = turns[2 * c];
        const float sine = sign * turns[2 * c + 1];
        const float first = x[c];
        const float second = x[c + half];
        x[c] = first * cosine - second * sine;
        x[c + half] = second * cosine + first * sine;
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
