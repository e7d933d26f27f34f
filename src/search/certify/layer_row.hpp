// What the ranges of kernels and gates imply for the loss of a class of rows and for the attention
// attention on BOS or on the null slot: the checker's bounds of CHECKPOINT_RULES.md, 4.10 and 4.11,
// rounded.
#pragma once

#include "certify/ranges.hpp"
#include "certify/row_class.hpp"
#include "certify/row_problem.hpp"

namespace sinkproof::certify {

// SP1404 where the ranges let a row's weights vanish (kernels not certainly positive).
exact::Result<Proof> bound_layer_loss(const LayerRanges& ranges, RowClass rows);
exact::Result<Proof> bound_layer_floor(const LayerRanges& ranges, RowClass rows, Slot slot);
exact::Result<Proof> bound_layer_ceiling(const LayerRanges& ranges, RowClass rows, Slot slot);

}  // namespace sinkproof::certify
