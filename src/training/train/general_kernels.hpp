// The training step of a stack of layers of any attention kind, any number of heads, with or
// without biases and residual connections: loss and gradient of a random batch, one sample per
// vector lane (Highway), on the tiles of lanes-inl.hpp.
//
// Why it is fast. Head h enters through M_h = W_Q^T W_K, V_h = W_O W_V and its gate only. Biases
// enter those: where coordinates of a row sum to 1, W x + b = (W + b 1^T) x, 1 on those coordinates
// (*units*), and the caller folds them in; so it does with a learned null slot's logit, which it
// takes from all logits and is 0 here. A token's units are its three flags. Deeper rows have
// none, so stacks that need one work on rows with a coordinate more, always 1 (*features*). Queries
// go two rows at a time through all heads; the last layer's go back at once. What the gradient of a
// layer's inputs needs is kept in products of whole rows, keys two at a time. BOS is an ordinary
// token here: a row more than in kernels.hpp, and no special cases. The plain counterpart
// is tests/train/stack_reference.hpp.
//
// Numerically safe: normalised kernels are scaled by a shift of the row's largest logit before any
// exponential (softmax with a null slot: of the larger of that and 0), so no logit overflows and no
// denominator vanishes.
//
// Matrices are row-major with rows padded by zeros to row_stride(features) floats (kernels.hpp).
// All pointers must be aligned to 64 bytes and hold the counts named below.
#pragma once

#include <cstddef>

#include "train/kernels.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

inline constexpr std::size_t kMostLayers = 8;

// f, the coordinates of a layer's input rows: d_model, and one that is 1 if a stack needs it.
inline std::size_t features(const Shape& shape) {
  const certificate::AttentionKind& kind = certificate::kind_of(shape.attention);
  const bool biased = shape.bias || kind.gated || kind.sinks;
  return shape.d_model + (shape.layers > 1 && biased ? 1 : 0);
}

// The folded model; matrices [f][row_stride(f)], layer after layer, in each head after head.
struct GeneralOperators {
  const float* logits = nullptr;             // query, key: M_h
  const float* logits_transposed = nullptr;  // key, query; read only of layers behind the first
  const float* value = nullptr;              // output, token: V_h
  const float* value_transposed = nullptr;   // token, output
  const float* gates = nullptr;              // [D][H][row_stride(f)]; read only if gated
  const float* bias = nullptr;               // [D][row_stride(f)]: b_O, zeros without
};

// Sums over samples and rows 1..L, by entries: `layer` entries for each layer, in them `head`
// entries for each head, in them
//   logits: f^2, gradient of half the loss by M_h
//   value:  n f, the same by V_h (n = d_model)
//   gate:   f, the same by the gate's row; only if gated
// then, behind a layer's heads, bias: n, the same by the output bias. Behind all layers the loss
// (sum of squared errors) and the largest absolute error.
struct GeneralSumsLayout {
  std::size_t layer, head, logits, value, gate, bias, loss, linf, count;
};
inline GeneralSumsLayout general_sums_layout(const Shape& shape) {
  const std::size_t n = shape.d_model;
  const std::size_t f = features(shape);
  const bool gated = certificate::kind_of(shape.attention).gated;
  const std::size_t head = f * f + n * f + (gated ? f : 0);
  const std::size_t layer = shape.heads * head + n;
  const std::size_t loss = shape.layers * layer;
  return {layer, head, 0, f * f, f * f + n * f, layer - n, loss, loss + 1, loss + 2};
}

// Floats to allocate: scratch for each worker, sums for each chunk (one vector an entry).
std::size_t general_scratch_floats(const Shape& shape);
std::size_t general_chunk_sums_floats(const Shape& shape);

// Overwrites `sums` with the sums of one chunk, lane by lane. The L-inf error sees every row,
// whatever the request says.
void general_chunk_gradient(const ChunkRequest& request, const GeneralOperators& operators,
                            float* scratch, float* sums);

}  // namespace sinkproof::train
