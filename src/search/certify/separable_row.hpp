// One head whose weights are not normalised: rows of every class (CHECKPOINT_RULES.md, 4.15).
//
// For a fixed noise u of the query the other keys are independent of each other, so that the loss
// is bounded by what each of them can add at most: a form in u and the square of one, which rests
// on a y <= (b a + y)^2 / (4 b) for a balance b > 0. Which b is good depends on u: the search
// collects corners of the box where the bound is largest, gives each a balance, and looks again.
// Of a head too wide for trees the last corner is the box itself, bounded at points.
#pragma once

#include <optional>
#include <vector>

#include "certify/proof.hpp"
#include "certify/ranges.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

// The smaller of the bounds by `chord` and, for ReLU, `product`, at or above `attained` (an
// estimate) and below `most`. Nothing where there is none. Precondition: one head, weights not
// normalised.
std::optional<Proof> bound_separable_row_loss(const Layer& layer, const LayerRanges& ranges,
                                              RowClass rows, double attained,
                                              std::optional<exact::Rational> most,
                                              const Effort& effort);

}  // namespace sinkproof::certify
