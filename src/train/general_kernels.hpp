// The training step of any attention kind, any number of heads, with or without biases: loss and
// gradient of a random batch, one sample per vector lane (Highway), on the tiles of lanes-inl.hpp.
//
// Why it is fast. Head h enters through M_h = W_Q^T W_K, V_h = W_O W_V and its gate only, and
// biases enter those: a token's three flags sum to 1, so W x + b = (W + b (1,1,0,..,0,1)) x and the
// caller folds them in; so it does with a learned null slot's logit, which it takes from all logits
// and is 0 here. Queries go two rows at a time through all heads, forward and back, so
// attention weights are never kept for more than two rows. BOS is an ordinary token here: a row
// more than in kernels.hpp, and no special cases. reference.hpp is the plain counterpart.
//
// Numerically safe: normalised kernels are scaled by a shift of the row's largest logit before any
// exponential (softmax with a null slot: of the larger of that and 0), so no logit overflows and no
// denominator vanishes.
//
// Matrices are row-major with rows padded by zeros to row_stride(n) floats (kernels.hpp). All
// pointers must be aligned to 64 bytes and hold the counts named below.
#pragma once

#include <cstddef>

#include "train/kernels.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

// The folded model, in token coordinates; matrices [n][row_stride(n)], head after head.
struct GeneralOperators {
  const float* logits = nullptr;            // query, key: M_h
  const float* value = nullptr;             // output, token: V_h
  const float* value_transposed = nullptr;  // token, output
  const float* gates = nullptr;             // [H][row_stride(n)]; read only if gated
  const float* bias = nullptr;              // [n]: b_O, zeros without
};

// Sums over samples and rows 1..L, by entries: `head` entries for each head, in them
//   logits: n^2, gradient of half the loss by M_h
//   value:  n^2, the same by V_h
//   gate:   n, the same by the gate's row (zero unless gated)
// then bias: n, the same by the output bias; the loss (sum of squared errors); and the largest
// absolute error.
struct GeneralSumsLayout {
  std::size_t head, logits, value, gate, bias, loss, linf, count;
};
constexpr GeneralSumsLayout general_sums_layout(const Shape& shape) {
  const std::size_t n = shape.d_model;
  const std::size_t head = 2 * n * n + n;
  const std::size_t bias = shape.heads * head;
  return {head, 0, n * n, 2 * n * n, bias, bias + n, bias + n + 1, bias + n + 2};
}

// Floats to allocate: scratch for each worker, sums for each chunk (one vector an entry).
std::size_t general_scratch_floats(const Shape& shape);
std::size_t general_chunk_sums_floats(const Shape& shape);

// Overwrites `sums` with the sums of one chunk, lane by lane. The L-inf error sees every row,
// whatever the request says.
void general_chunk_gradient(const ChunkRequest& request, const GeneralOperators& operators,
                            float* scratch, float* sums);

}  // namespace sinkproof::train
