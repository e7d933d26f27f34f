// What rule separable-row makes of kernels and balances before any search. CHECKPOINT_RULES.md,
// 4.15.
#pragma once

#include "attention/rules.hpp"
#include "attention/shapes.hpp"

namespace sinkproof::check {

// |kernel(x) - alpha - beta x| <= epsilon for the logits of a class; centre is in their middle.
struct Chord {
  exact::Rational alpha = 0, beta = 1, epsilon = 0, centre = 0;
};
Chord chord_of(certificate::Kernel kernel, const certificate::KernelClass& range);
// Of the keys of a class of rows, by the layer's ranges.
ByKey<Chord> chords_of(const Layer& layer, Rows rows);

using Positives = certificate::BySeparableRow::Positives;

// Of one side. `trigger` is for rows after the trigger; `own`, for the shortest and the longest
// row, may be null but in the trigger's.
struct Balances {
  Positives content, trigger, own;
};

// The bound on the loss of one side by the bounds of its forms where no coordinate is fixed; by
// `product` where there are no chords.
exact::Rational separable_root_bound(const Layer& layer, Rows rows, const Side& side,
                                     const ByKey<Chord>* chords, const Balances& balances);

}  // namespace sinkproof::check
