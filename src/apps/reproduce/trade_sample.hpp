// A model's loss, its attention to BOS and the size of its values: what is traded for what. All
// doubles: estimates, of random sequences or of norms.
#pragma once

#include <cstdint>

#include "model/attention_model.hpp"

namespace sinkproof::reproduce {

struct TradeSample {
  double loss = 0;              // mean squared error over sequences, positions and coordinates
  double linf = 0;              // largest absolute error
  double mean_bos = 0;          // weight on BOS, mean over sequences, layers, heads and rows 2..L
  double largest_mean_bos = 0;  // largest over layers, heads and rows 2..L of the mean of sequences
  double largest_bos = 0;       // largest of all, over sequences, too
  // With v_l = sum_h ||W_O^h W_V^h||_inf of layer l and N = prod (1 + v_l): N sum v_l / (1 + v_l),
  // which grows with the values.
  double value_growth = 0;
};

// Of `sequences` random sequences of train's with `seed`, at a step no training reaches.
// Preconditions: sequences >= 1, length and d_model within train::Options' limits.
TradeSample trade_sample(const model::AttentionModel& model, std::uint32_t sequences,
                         std::uint64_t seed);

}  // namespace sinkproof::reproduce
