#include "language_training/plan.hpp"

#include <cmath>

namespace sinkproof::language_training {
namespace {

// p 10000^(-2c / width)
double angle(std::size_t position, std::size_t c, std::size_t width) {
  return static_cast<double>(position) *
         std::pow(10000.0, -2.0 * static_cast<double>(c) / static_cast<double>(width));
}

// Cosine and sine of each angle, or the other way round.
std::vector<float> waves(std::size_t length, std::size_t width, bool sine_first) {
  std::vector<float> all;
  for (std::size_t p = 0; p < length; ++p) {
    for (std::size_t c = 0; c < width / 2; ++c) {
      const auto sine = static_cast<float>(std::sin(angle(p, c, width)));
      const auto cosine = static_cast<float>(std::cos(angle(p, c, width)));
      all.insert(all.end(), {sine_first ? sine : cosine, sine_first ? cosine : sine});
    }
  }
  return all;
}

std::vector<float> alibi(const Decoder& decoder) {
  std::vector<float> all(2 * decoder.heads * decoder.length);
  for (std::size_t head = 0; head < decoder.heads; ++head) {
    const double slope = alibi_slope(head, decoder.heads);
    for (std::size_t at = 0; at < decoder.length; ++at) {
      const auto distance = static_cast<double>(decoder.length - 1 - at);
      all[2 * head * decoder.length + at] = static_cast<float>(-slope * distance);
    }
  }
  return all;
}

std::vector<float> fixed_value(const Decoder& decoder) {
  const std::size_t own = decoder.head_width();
  const bool even = decoder.slot_value.direction.even;
  const double each = decoder.slot_value.norm / (even ? std::sqrt(static_cast<double>(own)) : 1);
  std::vector<float> all(decoder.width);
  for (std::size_t c = 0; c < decoder.width; ++c) {
    if (even || c % own == 0) all[c] = static_cast<float>(each);
  }
  return all;
}

}  // namespace

Plan::Plan(const Decoder& which) : decoder(which), layout(language_training::layout(which)) {
  const auto add = [this](std::size_t at, std::size_t depth, std::size_t cols, bool transposed) {
    PackedMatrix matrix{at, depth, cols, transposed, packed_floats, 0};
    matrix.backward = matrix.forward + depth * rounded_up(cols, kMostPanel);
    packed_floats = matrix.backward + cols * rounded_up(depth, kMostPanel);
    matrices.push_back(matrix);
  };
  if (decoder.kind.features == Features::kMlp) of_layer = 6;
  const PositionKind& kind = decoder.positions;
  const std::size_t width = decoder.width;
  if (kind.added == Added::kSinusoids) sinusoids = waves(decoder.length, width, true);
  if (kind.bias == LogitBias::kAlibi) biases = alibi(decoder);
  if (kind.rotary) turns = waves(decoder.length, decoder.head_width(), false);
  if (decoder.slot_value.norm != 0) slot_value = fixed_value(decoder);
  for (const LayerLayout& layer : layout.layers) {
    add(layer.attention, width, 3 * width, false);
    add(layer.attention_out, width, width, false);
    add(layer.mlp_in, width, decoder.wide(), false);
    add(layer.mlp_out, decoder.hidden(), width, false);
    if (decoder.kind.features != Features::kMlp) continue;
    add(layer.kernel_in, decoder.head_width(), decoder.head_width(), false);
    add(layer.kernel_out, decoder.head_width(), decoder.head_width(), false);
  }
  add(layout.head, width, decoder.vocabulary(), true);
}

}  // namespace sinkproof::language_training
