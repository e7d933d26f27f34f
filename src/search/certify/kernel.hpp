// The kernels of the kinds of attention: as doubles with their derivatives for the search, and
// enclosed for the ranges of kernels (src/checker/certificate/CHECKPOINT_RULES.md, 4.9).
#pragma once

#include "exact/exp_enclosure.hpp"
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

// An enclosure of the kernel at an exact logit; exp below -4096 goes down to 0, as the checker's
// does. Precondition: |logit| is at most 4096 where the kernel grows like exp, for the kinds of
// softmax upwards and for those of sigmoid downwards.
exact::Enclosure kernel_enclosure(model::Attention attention, const exact::Rational& logit,
                                  unsigned bits);

double logistic(double x);
exact::Enclosure logistic_enclosure(const exact::Rational& x, unsigned bits);

}  // namespace sinkproof::certify
