// ReLU attention, rows of content queries (before and after the trigger).
//
// Where every score is certainly <= 0 over the box the row is certainly zero. Otherwise a key's
// contribution relu(score) * s v is at most (theta * score + s v / theta)^2 / 4 for any theta > 0
// (the inequality of the means), whose root is a sign form in the query's noise.
#pragma once

#include "certify/head.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at these rows. rows: kPre, or kPost with length >= 4. Row 1
// (BOS alone) belongs to kPre; its loss is an exact number.
Proof bound_relu_row_loss(const Head& head, RowClass rows, const Effort& effort);

}  // namespace sinkproof::certify
