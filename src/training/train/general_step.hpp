// Loss and gradient of one random batch with respect to the parameters of a stack of layers of any
// attention kind, any number of heads, with or without biases and residual connections, by the
// kernels of general_kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "train/aligned.hpp"
#include "train/crew.hpp"
#include "train/general_kernels.hpp"
#include "train/gradient.hpp"

namespace sinkproof::train {

class GeneralGradient final : public LossGradient {
 public:
  // As loss_gradient() says.
  GeneralGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs,
                  double bos_penalty = 0);

  // Every row enters the L-inf error, whatever `every_row` says.
  Evaluation evaluate(const float* weights, const BatchId& batch, bool every_row) override;
  [[nodiscard]] const float* gradient() const override { return gradient_.data(); }

  // An nn.Linear: where its weight and its bias, if it has one, lie in the buffer of
  // parameters.hpp.
  struct Map {
    std::size_t weight = 0;
    std::optional<std::size_t> bias;
  };
  struct LayerMaps {
    Map query, key, value, output, gate;
    std::optional<std::size_t> sinks;
  };

 private:
  // Matrices [D][H][f][stride] of the folded model: the four maps with their biases in them, W_Q^T
  // W_K, W_O W_V and the transposes of both.
  enum Folded {
    kQuery,
    kKey,
    kValue,
    kOutput,
    kLogits,
    kLogitsTransposed,
    kProduct,
    kProductTransposed,
    kFolded
  };
  enum Spare { kA, kB, kC, kSpare };

  [[nodiscard]] std::size_t matrix_floats() const { return features_ * stride_; }
  // `block` counts the heads of all layers.
  float* folded(Folded which, std::size_t block) {
    return folded_.data() + (which * layers_.size() * shape_.heads + block) * matrix_floats();
  }
  float* spare(Spare which) { return spare_.data() + which * matrix_floats(); }

  void add_to_units(float* matrix, float s) const;
  [[nodiscard]] float sum_of_units(const float* matrix) const;
  void fold_rows(const float* weights, const Map& map, std::size_t first, std::size_t rows,
                 float* matrix) const;
  void fold_head(const float* weights, std::size_t layer, std::size_t head);
  void fold_layer(const float* weights, std::size_t layer);
  void unfold_rows(const Map& map, std::size_t first, std::size_t rows, const float* matrix);
  void unfold_head(std::size_t layer, std::size_t head, float scale);
  void unfold_layer(std::size_t layer, float scale);
  const float* scaled(std::size_t first_entry, std::size_t rows, float scale, float* matrix) const;

  Shape shape_;
  std::uint32_t samples_;
  float bos_pull_;
  std::size_t features_;
  std::size_t stride_;
  std::vector<LayerMaps> layers_;
  std::vector<std::size_t> units_;
  Chunks chunks_;
  Crew crew_;
  std::size_t worker_scratch_;
  AlignedFloats scratch_, sums_, totals_, folded_, spare_, gates_, bias_, gradient_;
};

}  // namespace sinkproof::train
