// The BOS or null slot's share at all rows, of every head of a softmax kind: 1 over 1 plus the sum
// of exp(logit - the slot's) over the other keys, each at its largest over the key's noise.
// CHECKPOINT_RULES.md, 4.13.
#pragma once

#include "certify/layer.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"
#include "certify/row_problem.hpp"

namespace sinkproof::certify {

// Largest provable floor of the attention of every head on the slot over these rows (position >=
// 2), at or below `attained`. rows: any, kPost with length >= 4. Precondition: a softmax kind.
Proof bound_softmax_floor(const Layer& layer, RowClass rows, Slot slot, double attained,
                          const Effort& effort);

}  // namespace sinkproof::certify
