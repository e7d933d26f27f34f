// Loss and gradient of one random batch with respect to the four weights of one softmax or ReLU
// head without biases, by the kernels of kernels.hpp.
#pragma once

#include <cstdint>

#include "train/aligned.hpp"
#include "train/crew.hpp"
#include "train/gradient.hpp"
#include "train/kernels.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

// W_Q, W_K, W_V, W_O one after the other, each [n][row_stride(n)], nn.Linear layout [out, in].
inline constexpr std::size_t kWeightMatrices = 4;
constexpr std::size_t weight_floats(std::size_t n) { return kWeightMatrices * n * row_stride(n); }

class BatchGradient final : public LossGradient {
 public:
  // d_model >= 4, length >= 3, samples >= 1, jobs >= 1.
  BatchGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs);

  Evaluation evaluate(const float* weights, const BatchId& batch, bool every_row) override;
  [[nodiscard]] const float* gradient() const override { return gradient_.data(); }

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
  Chunks chunks_;
  Crew crew_;
  std::size_t worker_scratch_;
  AlignedFloats scratch_, sums_, totals_, small_, gradient_;
};

}  // namespace sinkproof::train
