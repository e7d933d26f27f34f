// Loss and gradient of one random batch with respect to a model's parameters, on any number of
// threads with the same bytes: the batch is cut in chunks whose size depends on the batch alone,
// and their sums are added in chunk order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "train/task.hpp"

namespace sinkproof::train {

struct Evaluation {
  double loss = 0;           // mean squared error over batch, positions and coordinates
  double linf_at_least = 0;  // largest absolute error in the rows looked at
  bool linf_exact = false;   // all rows were
};

class LossGradient {
 public:
  LossGradient() = default;
  LossGradient(const LossGradient&) = delete;
  LossGradient& operator=(const LossGradient&) = delete;
  virtual ~LossGradient() = default;

  // Evaluates the batch at `weights` (the buffer of parameters.hpp, aligned). Trigger rows always
  // enter the L-inf error; the others surely if `every_row`, which changes nothing else.
  virtual Evaluation evaluate(const float* weights, const BatchId& batch, bool every_row) = 0;

  // Of the last evaluation's loss, and penalty if there is one; the layout of the weights.
  [[nodiscard]] virtual const float* gradient() const = 0;
};

// By the kernels made for one layer of one softmax or ReLU head without biases where they apply (a
// residual connection of one layer cancels), else by the general ones. d_model >= 4, length >= 3,
// layers 1..kMostLayers, heads >= 1, samples >= 1, jobs >= 1. With a penalty on attention to BOS
// (Options::bos_penalty), by the general kernels; it enters the gradient alone.
std::unique_ptr<LossGradient> loss_gradient(const Shape& shape, std::uint32_t samples,
                                            std::size_t jobs, double bos_penalty = 0);

// How a batch is cut.
struct Chunks {
  explicit Chunks(std::uint32_t whole) : batch(whole) {}

  [[nodiscard]] std::uint32_t first(std::size_t chunk) const {
    return static_cast<std::uint32_t>(chunk) * size;
  }
  [[nodiscard]] std::uint32_t samples(std::size_t chunk) const {
    return std::min(size, batch - first(chunk));
  }

 private:
  static constexpr std::uint32_t kUnit = 32;  // a multiple of kMaxLanes
  static constexpr std::uint32_t kMost = 16;
  static constexpr std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) {
    return (a + b - 1) / b;
  }

 public:
  std::uint32_t batch;
  std::uint32_t size = kUnit * divide_up(divide_up(batch, kMost), kUnit);
  std::uint32_t count = divide_up(batch, size);
};

}  // namespace sinkproof::train
