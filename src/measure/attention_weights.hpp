// A row's logits become its attention weights, in enclosures (src/certificate/LAYER_RULES.md, 5.1;
// the float version is to_weights in forward.cpp). Here are the exp and the division of a rigorous
// forward pass, and with them all that can go wrong in it: a wide logit whose exp overflows, and a
// sum of kernels whose enclosure reaches 0. Both are told, neither is divided by.
#pragma once

#include <vector>

#include "measure/ball_matrix.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

// Replaces the logits of keys 1..i of query i = row.size() by enclosures of their weights; those of
// normalised kinds lie in [0, 1]. False, and the row is worth nothing: the sum of the kernels is
// not enclosed between two positive numbers at this precision. Precondition: row not empty.
[[nodiscard]] bool to_weights(model::Attention attention, std::vector<Bounds>& row, unsigned bits);

// 1/(1 + exp(-x)), within [0, 1].
Bounds logistic(const Bounds& x, unsigned bits);

}  // namespace sinkproof::measure
