// The trigger-conditional task of docs/THEORY.md section 0, as data: random sequences and their
// targets. The noise and the trigger of a sample are a function of (seed, step,
// sample) alone; the vector kernels of kernels.hpp produce the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "certificate/attention.hpp"

namespace sinkproof::train {

using certificate::Attention;

struct Shape {
  Attention attention = Attention::kSoftmax;
  std::size_t d_model = 16;  // n >= 4: flags BOS, trigger, content and n - 3 noise coordinates
  std::size_t length = 16;   // L >= 3: positions 1..L, position 1 is BOS
  std::size_t heads = 1;
  bool bias = false;  // biases of W_Q, W_K, W_V and W_O
  std::size_t layers = 1;
  bool residual = false;  // each layer adds its input; the target of row i then has token i added
};

// Which random batch: sample `i` of step `step` of the run with seed `seed`.
struct BatchId {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

// xoshiro128+ by Blackman and Vigna (prng.di.unimi.it): the stream within one sample. Only the
// upper 25 bits of a word are used; its low bits are weak.
using StreamState = std::array<std::uint32_t, 4>;
std::uint32_t next_word(StreamState& state);

// Where the stream of a sample starts: Philox of (sample, step, seed), never the all-zero state.
StreamState stream_start(const BatchId& batch, std::uint32_t sample);

// The trigger position, 3..length, from one random word (bias below length / 2^32).
std::size_t trigger_position(std::uint32_t word, std::size_t length);

// A uniform odd multiple of 2^-24 in (-1, 1), exact in float.
float noise_value(std::uint32_t word);

struct Sample {
  std::size_t trigger = 0;    // position j from 1
  std::vector<float> tokens;  // [length][d_model], rows in the coordinates of THEORY.md
};

Sample draw_sample(const Shape& shape, const BatchId& batch, std::uint32_t sample);

// [length][d_model]: in the trigger's row the mean of x_2..x_j, zero elsewhere; with residual
// connections the tokens are added.
template <typename T>
std::vector<T> targets(const Shape& shape, std::size_t trigger, const std::vector<T>& tokens) {
  const std::size_t n = shape.d_model;
  std::vector<T> mean(n, T{0});
  for (std::size_t k = 1; k < trigger; ++k) {
    for (std::size_t c = 0; c < n; ++c) mean[c] += tokens[k * n + c];
  }
  std::vector<T> target = shape.residual ? tokens : std::vector<T>(shape.length * n, T{0});
  for (std::size_t c = 0; c < n; ++c) {
    target[(trigger - 1) * n + c] += mean[c] / static_cast<T>(trigger - 1);
  }
  return target;
}

}  // namespace sinkproof::train
