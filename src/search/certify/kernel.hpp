// The kernels of the kinds of attention, as doubles with their derivatives.
#pragma once

#include "model/attention_model.hpp"

namespace sinkproof::certify {

// The checker has exp up to 4096 (CHECKPOINT_RULES.md, 4.4). What the search relies on stays
// this side of it.
inline constexpr int kMostExpArgument = 4000;

struct KernelValue {
  double value = 0;
  double slope = 0;
};

// The kernel of a logit; of the softmax kinds exp(logit - shift), of the others shift is ignored.
KernelValue kernel(model::Attention attention, double logit, double shift);

double logistic(double x);

}  // namespace sinkproof::certify
