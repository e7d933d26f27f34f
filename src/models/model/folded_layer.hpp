// A layer as what its rows depend on, in unit tokens, whose noise lies in [-1,1] and which X maps
// to those of the model's box (CHECKPOINT_RULES.md, 4.2): for each head M = W_Q^T W_K (logit of
// query x on key y: x^T M y) and V = W_O W_V, times X, with all biases folded in. The three flags
// of every token sum to one (docs/THEORY.md section 0), so a bias b acts as the matrix b (e_0 + e_1
// + e_{n-1})^T, and logits less the one of a learned null slot, which makes that 0, are a matrix
// too.
#pragma once

#include <vector>

#include "model/attention_model.hpp"

namespace sinkproof::model {

struct FoldedHead {
  exact::RationalMatrix logit;  // M, n x n
  exact::RationalMatrix value;  // V, n x n
};

struct FoldedLayer {
  std::vector<FoldedHead> heads;
  // Added to every output row; zero where the weights of a row sum to one (it is in V then).
  std::vector<exact::Rational> constant;
  exact::RationalMatrix gates;  // [H, n] where there are any
};

// Precondition: index < model.layers.size().
FoldedLayer fold(const AttentionModel& model, std::size_t index);

}  // namespace sinkproof::model
