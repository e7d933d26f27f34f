#include "train/task.hpp"

#include "train/philox.hpp"

namespace sinkproof::train {

std::uint32_t next_word(StreamState& state) {
  const std::uint32_t word = state[0] + state[3];
  const std::uint32_t shifted = state[1] << 9U;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = (state[3] << 11U) | (state[3] >> 21U);
  return word;
}

StreamState stream_start(const BatchId& batch, std::uint32_t sample) {
  StreamState state = philox4x32(
      {sample, static_cast<std::uint32_t>(batch.step),
       static_cast<std::uint32_t>(batch.step >> 32U), 0},
      {static_cast<std::uint32_t>(batch.seed), static_cast<std::uint32_t>(batch.seed >> 32U)});
  state[1] |= 1U;
  return state;
}

std::size_t trigger_position(std::uint32_t word, std::size_t length) {
  return 3 + static_cast<std::size_t>((std::uint64_t{word} * (length - 2)) >> 32U);
}

float noise_value(std::uint32_t word) {
  const std::int32_t odd = (static_cast<std::int32_t>(word) >> 7) | 1;
  return static_cast<float>(odd) * 0x1p-24F;
}

Sample draw_sample(const Shape& shape, const BatchId& batch, std::uint32_t sample) {
  const std::size_t n = shape.d_model;
  StreamState state = stream_start(batch, sample);
  Sample drawn;
  drawn.trigger = trigger_position(next_word(state), shape.length);
  drawn.tokens.assign(shape.length * n, 0.0F);
  drawn.tokens[0] = 1.0F;
  for (std::size_t position = 2; position <= shape.length; ++position) {
    float* token = drawn.tokens.data() + (position - 1) * n;
    for (std::size_t c = 2; c + 1 < n; ++c) token[c] = noise_value(next_word(state));
    token[position == drawn.trigger ? 1 : n - 1] = 1.0F;
  }
  return drawn;
}

}  // namespace sinkproof::train
