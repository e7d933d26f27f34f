#include "train/gradient.hpp"

#include "train/general_step.hpp"
#include "train/step.hpp"

namespace sinkproof::train {

std::unique_ptr<LossGradient> loss_gradient(const Shape& shape, std::uint32_t samples,
                                            std::size_t jobs, double bos_penalty) {
  const bool plain = shape.attention == Attention::kSoftmax || shape.attention == Attention::kRelu;
  if (plain && shape.layers == 1 && shape.heads == 1 && !shape.bias && bos_penalty == 0) {
    return std::make_unique<BatchGradient>(shape, samples, jobs);
  }
  return std::make_unique<GeneralGradient>(shape, samples, jobs, bos_penalty);
}

}  // namespace sinkproof::train
