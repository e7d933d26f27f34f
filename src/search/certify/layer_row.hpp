// The bounds of CHECKPOINT_RULES.md, 4.10 and 4.11: what the ranges of kernels and gates imply for
// the loss of a class of rows and for the attention paid to BOS or to the null slot.
#pragma once

#include "certify/ranges.hpp"
#include "certify/row_class.hpp"
#include "certify/row_problem.hpp"

namespace sinkproof::certify {

// The loss of row 1.
exact::Rational first_row_bound(const Layer& layer, const LayerRanges& ranges);

// SP1404 where the ranges let a row's weights vanish (kernels not certainly positive).
exact::Result<Proof> bound_layer_loss(const Layer& layer, const LayerRanges& ranges, RowClass rows);
exact::Result<Proof> bound_layer_floor(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                                       Slot slot);
exact::Result<Proof> bound_layer_ceiling(const Layer& layer, const LayerRanges& ranges,
                                         RowClass rows, Slot slot);

}  // namespace sinkproof::certify
