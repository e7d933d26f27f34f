// The rollout of a stack of averaging heads, one a layer, without residual connections (tc-4): how
// much of a row, followed down through the product of the layers' attention matrices, arrives at
// BOS. CHECKPOINT_RULES.md, 4.6. Of a witness's pass and of the pass over the box alike.
#pragma once

#include <cstddef>
#include <vector>

#include "forward/ball.hpp"
#include "forward/model.hpp"

namespace sinkproof::forward {

// Whether the model is such a stack.
bool has_rollout(const Model& model);

class Rollout {
 public:
  // Of rows 1..`rows` above `depth` layers, in units of 2^-p.
  Rollout(std::size_t depth, std::size_t rows, unsigned p);

  // What of a row of a layer (row >= 1, layer from 0) arrives at BOS, from its weights on keys
  // 1..row, whose shares may be any in these ranges that sum to one. Precondition: they were
  // followed in the layer below.
  const Range& follow(std::size_t layer, std::size_t row, const std::vector<Range>& weights);

 private:
  std::vector<std::vector<Range>> arrives_;  // by layers passed and row
  unsigned p_;
};

}  // namespace sinkproof::forward
