#include "language_training/plan.hpp"

namespace sinkproof::language_training {

Plan::Plan(const Decoder& which) : decoder(which), layout(language_training::layout(which)) {
  const auto add = [this](std::size_t at, std::size_t depth, std::size_t cols, bool transposed) {
    PackedMatrix matrix{at, depth, cols, transposed, packed_floats, 0};
    matrix.backward = matrix.forward + depth * rounded_up(cols, kMostPanel);
    packed_floats = matrix.backward + cols * rounded_up(depth, kMostPanel);
    matrices.push_back(matrix);
  };
  const std::size_t width = decoder.width;
  for (const LayerLayout& layer : layout.layers) {
    add(layer.attention, width, 3 * width, false);
    add(layer.attention_out, width, width, false);
    add(layer.mlp_in, width, decoder.hidden(), false);
    add(layer.mlp_out, decoder.hidden(), width, false);
  }
  add(layout.head, width, decoder.vocabulary(), true);
}

}  // namespace sinkproof::language_training
