// The bound that holds for any softmax row, whatever its logits: the output is a convex combination
// of the values of its keys. The fallback where the sharper rules do not close.
#pragma once

#include "certify/head.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

Proof bound_softmax_range(const Head& head, RowClass rows);

}  // namespace sinkproof::certify
