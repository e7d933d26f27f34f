// Where everything lies that a pass over a decoder touches: its weights, and copies of its matrices
// packed for products forward and backward (products-inl.hpp). Made once for a run.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

// Widths that hold for every instruction set: of a panel, and of a tile of rows.
inline constexpr std::size_t kMostPanel = 32;
inline constexpr std::size_t kMostTile = 12;

constexpr std::size_t rounded_up(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// A matrix m[depth][cols] that rows are multiplied by. `weights` has it, or with `transposed` its
// transpose; `forward` and `backward` are where it and its transpose lie packed.
struct PackedMatrix {
  std::size_t weights = 0;
  std::size_t depth = 0;
  std::size_t cols = 0;
  bool transposed = false;
  std::size_t forward = 0;
  std::size_t backward = 0;
};

// Of a layer, in the order of Plan::matrices; the last two where the kind has such features.
enum class Matrix : std::size_t { kQkv, kOut, kMlpIn, kMlpOut, kKernelIn, kKernelOut };

struct Plan {
  explicit Plan(const Decoder& decoder);

  Decoder decoder;
  Layout layout;
  std::vector<PackedMatrix> matrices;  // `of_layer` of each layer; the last is the head
  std::size_t of_layer = 4;
  std::size_t packed_floats = 0;
  // What positions are without learning; each empty where the kind does not use it.
  std::vector<float> sinusoids;   // [length][width]
  std::vector<float> biases;      // [heads][2 length]: of logits, as HeadInput::bias has them
  std::vector<float> turns;       // [length][head width / 2][2]: cosine and sine of each angle
  std::vector<float> slot_value;  // [width], heads side by side; empty: 0, or learned
};

}  // namespace sinkproof::language_training
