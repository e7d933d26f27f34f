// The fast training step of one softmax or ReLU head without biases: loss and gradient of a random
// batch, with one sample per vector lane, on the best instruction set the processor has (Highway,
// chosen at run time). general_kernels.hpp does the other models.
//
// Why it is fast. (1) The model enters only through M = W_Q^T W_K and V = W_O W_V, so no per-token
// projections are made; gradients with respect to M and V go to the four weights once a step.
// (2) Rows without a target have out = V z, so their part of the loss is z^T (V^T V) z and of dV is
// V (sum z z^T): a symmetric moment instead of outputs, errors and two products a row. Only the
// trigger row of each sample sees its output. (3) A sample is its noise plus flags: work in
// *feature basis* (noise_0 .. noise_{n-4}, trigger, 1, BOS) where token k >= 2 is (u, [k = j], 1,
// 0) and BOS is e_{n-1}, so that BOS costs nothing. (4) Lanes are samples: no shuffles, no tails,
// whatever d_model and length. The plain counterpart is tests/train/stack_reference.hpp.
//
// Matrices here are row-major with rows padded by zeros to `row_stride(n)` floats. All pointers
// must be aligned to 64 bytes and hold the counts named below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

inline constexpr std::size_t kMaxLanes = 16;

// n rounded up to a multiple of kMaxLanes.
constexpr std::size_t row_stride(std::size_t n) {
  return (n + kMaxLanes - 1) / kMaxLanes * kMaxLanes;
}

// Samples a vector holds, and the instruction set's name, on this processor.
std::size_t kernel_lanes();
std::string kernel_target();

// Highway's bits of the instruction sets that are compiled in and run here, best first.
std::vector<std::int64_t> kernel_targets();

// From now on the kernels run on this instruction set (a name as kernel_target() gives it), so that
// a run on a newer processor gives the bytes of an older one. Call it before training starts, not
// beside it. SP1001: it is not compiled in, or this processor does not have it.
exact::Result<void> use_instruction_set(const std::string& name);

// What a step's kernels need to know of the model. [n][row_stride(n)] each, in feature basis;
// output coordinates are in the order (noise, trigger, content, BOS).
struct Operators {
  const float* logits = nullptr;            // query feature, key feature
  const float* value = nullptr;             // output, feature: V
  const float* value_transposed = nullptr;  // feature, output
  const float* gram = nullptr;              // feature, feature: V^T V
};

struct ChunkRequest {
  Shape shape;
  BatchId batch;
  std::uint32_t first = 0;  // samples first .. first + count - 1 of the batch
  std::uint32_t count = 0;
  bool every_row_linf = false;  // let `every_linf` see all rows (costs one product a row)
  float bos_pull = 0;  // d of a weight on BOS grows by this times it, rows 2..L; general only
};

// Sums over samples and rows 2..L; row 1 sees only BOS and is the caller's. n^2 entries each:
//   logits:  gradient of half the loss by the logits operator (row BOS left zero)
//   second:  z z^T over non-trigger rows, z the attention-mixed features (upper triangle only)
//   error:   (out - y) z^T over trigger rows
// then three scalars: the loss (sum of squared errors), and the largest absolute error over trigger
// rows, and over all rows if the request asked for it (else it repeats the former).
struct SumsLayout {
  std::size_t logits, second, error, loss, trigger_linf, every_linf, count;
};
constexpr SumsLayout sums_layout(std::size_t n) {
  const std::size_t square = n * n;
  return {0, square, 2 * square, 3 * square, 3 * square + 1, 3 * square + 2, 3 * square + 3};
}

// Floats to allocate: scratch for each worker, sums for each chunk (one vector an entry).
std::size_t scratch_floats(const Shape& shape);
std::size_t chunk_sums_floats(std::size_t n);

// Overwrites `sums` with the sums of one chunk, lane by lane.
void chunk_gradient(const ChunkRequest& request, const Operators& operators, float* scratch,
                    float* sums);

// Adds the first `added` entries of all chunks and takes the largest of the next `maximised`,
// chunks in their order, then lanes in theirs: totals[added + maximised]. A chunk's sums are that
// many vectors; the next chunk's follow.
void total_sums(std::size_t added, std::size_t maximised, std::size_t chunks, const float* sums,
                float* totals);

// c = a b for [n][row_stride(n)] matrices. c overlaps neither.
void multiply(std::size_t n, const float* a, const float* b, float* c);

// AdamW in PyTorch's form with its bias corrections given; `count` a multiple of kMaxLanes.
struct AdamFactors {
  float step = 0;  // lr / (1 - beta1^t)
  float root = 0;  // 1 / sqrt(1 - beta2^t)
  float beta1 = 0;
  float beta2 = 0;
  float epsilon = 0;
  float keep = 1;      // 1 - lr * weight decay: what each weight is multiplied by first
  float gradient = 1;  // what each gradient is multiplied by
};
void adam_update(const AdamFactors& factors, std::size_t count, const float* gradient, float* first,
                 float* second, float* weights);

}  // namespace sinkproof::train
