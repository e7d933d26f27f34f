// Loss and gradient of a decoder on a few sequences, in float, by one thread, on the best
// instruction set the processor has (Highway, chosen at run time). The plain counterpart
// is tests/language_training/decoder_reference.hpp.
//
// Why it is fast. (1) All products, those of attention included, go through one register tile on
// packed panels (products-inl.hpp); weights are packed once a step, forward and transposed.
// (2) Sequences are few at a time, so that activations stay near the processor between a product
// and what follows it. (3) Softmax with its loss and their gradient, activations with their slopes,
// LayerNorm and attention's weights are one sweep each. Nothing is allocated here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "language_training/plan.hpp"

namespace sinkproof::language_training {

// Of a pass over `sequences` sequences.
std::size_t scratch_floats(const Decoder& decoder, std::size_t sequences);

// Packs matrix `matrix` of `plan.matrices`; `packed` has plan.packed_floats.
void pack_matrix(const Plan& plan, const float* weights, std::size_t matrix, float* packed);

struct PassRequest {
  const Plan& plan;
  const float* weights;         // [layout.floats], aligned to 64 bytes
  const float* packed;          // all matrices of these weights
  const std::uint16_t* tokens;  // [sequences][length + 1], each below the vocabulary
  std::size_t sequences;
};

// Sum over asked tokens of -log of the next token's probability. `attention`, if not null:
// [sequences][layers][heads][slots + length], the means of each place's weights over the rows from
// its own on (of a slot: over all rows); of unnormalised kinds of the sizes of weights over their
// row's sum.
double pass_loss(const PassRequest& request, float* scratch, float* attention);

// The same sum; adds its gradient times `factor` to `gradient` [layout.floats].
double pass_gradient(const PassRequest& request, float factor, float* scratch, float* gradient);

// `count` floats, a multiple of 16, of each of `arrays` arrays `stride` apart, added up in their
// order; returns the sum of the sums' squares. All aligned to 64 bytes.
double add_up(std::size_t count, std::size_t arrays, std::size_t stride, const float* from,
              float* to);

}  // namespace sinkproof::language_training
