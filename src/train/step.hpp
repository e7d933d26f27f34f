// Loss and gradient of one random batch with respect to the four weights, by the kernels, on any
// number of threads with the same bytes: the batch is cut in chunks whose size depends on the batch
// alone, and their sums are added in chunk order.
#pragma once

#include <cstdint>

#include "train/aligned.hpp"
#include "train/crew.hpp"
#include "train/kernels.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

// W_Q, W_K, W_V, W_O one after the other, each [n][row_stride(n)], nn.Linear layout [out, in].
inline constexpr std::size_t kWeightMatrices = 4;
constexpr std::size_t weight_floats(std::size_t n) { return kWeightMatrices * n * row_stride(n); }

struct Evaluation {
  double loss = 0;           // mean squared error over batch, positions and coordinates
  double linf_at_least = 0;  // largest absolute error in the rows looked at
  bool linf_exact = false;   // all rows were
};

class BatchGradient {
 public:
  // d_model >= 4, length >= 3, samples >= 1, jobs >= 1.
  BatchGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs);

  // Evaluates the batch at `weights` (weight_floats(n) floats, aligned). Trigger rows always enter
  // the L-inf error; the others only if `every_row`, which changes nothing else.
  Evaluation evaluate(const float* weights, const BatchId& batch, bool every_row);

  // Of the last evaluation's loss; the layout of the weights.
  [[nodiscard]] const float* gradient() const { return gradient_.data(); }

 private:
  enum Small { kLogits, kValue, kValueTransposed, kGram, kA, kB, kC, kSmallCount };
  float* small(Small which);
  [[nodiscard]] std::size_t matrix_floats() const { return shape_.d_model * stride_; }
  void prepare(const float* weights);
  void run_chunks(const BatchId& batch, bool every_row);
  Evaluation add_first_row(bool every_row);
  void gradient_of_value(const float* weights, float scale);
  void gradient_of_logits(const float* weights, float scale);

  Shape shape_;
  std::uint32_t samples_;
  std::size_t stride_;
  std::uint32_t chunk_samples_;
  std::uint32_t chunks_;
  Crew crew_;
  std::size_t worker_scratch_;
  AlignedFloats scratch_, sums_, totals_, small_, gradient_;
};

}  // namespace sinkproof::train
