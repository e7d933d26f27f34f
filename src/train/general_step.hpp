// Loss and gradient of one random batch with respect to the parameters of a model of any attention
// kind, any number of heads, with or without biases, by the kernels of general_kernels.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "train/aligned.hpp"
#include "train/crew.hpp"
#include "train/general_kernels.hpp"
#include "train/gradient.hpp"
#include "train/parameters.hpp"

namespace sinkproof::train {

class GeneralGradient final : public LossGradient {
 public:
  // d_model >= 4, length >= 3, heads >= 1, samples >= 1, jobs >= 1.
  GeneralGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs);

  // Every row enters the L-inf error, whatever `every_row` says.
  Evaluation evaluate(const float* weights, const BatchId& batch, bool every_row) override;
  [[nodiscard]] const float* gradient() const override { return gradient_.data(); }

 private:
  // Matrices [H][n][stride] of the folded model: the four maps with their biases in them, W_Q^T
  // W_K, W_O W_V and its transpose.
  enum Folded { kQuery, kKey, kValue, kOutput, kLogits, kProduct, kProductTransposed, kFolded };
  enum Spare { kA, kB, kC, kSpare };

  [[nodiscard]] std::size_t matrix_floats() const { return shape_.d_model * stride_; }
  float* folded(Folded which, std::size_t head) {
    return folded_.data() + (which * shape_.heads + head) * matrix_floats();
  }
  float* spare(Spare which) { return spare_.data() + which * matrix_floats(); }

  void add_to_flags(float* matrix, float s) const;
  [[nodiscard]] float sum_of_flags(const float* matrix) const;
  void fold_rows(const float* weights, const char* map, std::size_t head, float* matrix) const;
  void fold_head(const float* weights, std::size_t head);
  void fold_gates(const float* weights);
  void fold(const float* weights);
  void unfold_rows(const char* map, std::size_t head, const float* matrix);
  void unfold_head(std::size_t head, double scale);
  void unfold_gates(double scale);
  void unfold(double scale);
  const float* scaled(std::size_t first_entry, double scale, float* matrix) const;

  Shape shape_;
  std::uint32_t samples_;
  std::size_t stride_;
  std::vector<Parameter> parameters_;
  Chunks chunks_;
  Crew crew_;
  std::size_t worker_scratch_;
  AlignedFloats scratch_, sums_, totals_, folded_, spare_, gates_, bias_, gradient_;
};

}  // namespace sinkproof::train
