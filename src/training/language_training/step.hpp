// A training step: the mean loss of a batch and its gradient, by a crew of threads, and AdamW with
// the gradient's norm clipped. The batch is always cut into the same shares and all sums go in the
// same order, so that the same bytes come whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "language_training/pass.hpp"
#include "train/aligned.hpp"
#include "train/crew.hpp"

namespace sinkproof::language_training {

// Shares of a batch: no more threads than these work on it.
inline constexpr std::size_t kShares = 4;

// Weights and AdamW's moments, [layout.floats] each.
struct Weights {
  std::uint64_t steps = 0;  // updates made
  train::AlignedFloats values;
  train::AlignedFloats first;
  train::AlignedFloats second;
};

// Values as each Parameter's `beginning` says, normal numbers by Box-Muller on Philox of the seed.
Weights initial_weights(const Decoder& decoder, std::uint64_t seed);

struct Rate {
  double lr = 0;
  double weight_decay = 0;  // decoupled, of matrices; times lr
  double clip = 0;          // the gradient's norm is brought down to this; 0: never
};

class Step {
 public:
  // Batches of `sequences`.
  Step(const Decoder& decoder, std::uint32_t sequences, std::size_t jobs);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const float* gradient() const { return gradient_.data(); }

  // The mean loss of an asked token of a batch's `tokens` [sequences][length + 1]; leaves the
  // gradient. The weights must have been load()ed or made by update().
  double gradient(const Weights& weights, const std::uint16_t* tokens);
  // Packs weights that were not made by update().
  void load(const Weights& weights);
  // One update with the gradient there is.
  void update(const Rate& rate, Weights& weights);

  // The mean loss of any number of `sequences`, and their `attention` as pass_loss() has it.
  double loss(const Weights& weights, const std::uint16_t* tokens, std::uint32_t sequences,
              float* attention);

 private:
  struct Share {
    std::size_t first, sequences;
  };
  [[nodiscard]] Share share(std::size_t which, std::size_t sequences) const;
  template <typename OfPart>
  double over_shares(const Weights& weights, const std::uint16_t* tokens, std::size_t sequences,
                     const OfPart& of_part);

  Plan plan_;
  std::uint32_t sequences_;
  std::size_t shares_;
  std::size_t part_;  // sequences a pass takes at once
  train::Crew crew_;
  std::size_t scratch_floats_;
  train::AlignedFloats scratch_;    // of each worker
  train::AlignedFloats gradients_;  // of each share
  train::AlignedFloats gradient_;
  train::AlignedFloats packed_;
  std::vector<double> sums_;
  std::vector<Parameter> parameters_;
};

}  // namespace sinkproof::language_training
