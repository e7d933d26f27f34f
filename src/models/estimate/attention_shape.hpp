// How evenly a head attends, and how few directions its matrices hold.
#pragma once

#include <cstddef>

#include "estimate/rows.hpp"

namespace sinkproof::estimate {

// The uniformity of weights A [T, T]: the mean, over the queries that see two keys or more, of the
// entropy of the row |A_ik| / sum_k |A_ik| over the logarithm of the number of keys seen. A row of
// zeros counts 0. It is in [0, 1]; it is 1 just where every such row is uniform over the keys seen,
// and 0 just where every such row is on one key. It does not depend on the order of the keys or on
// a factor of a row. This definition is ours: [L] uses one that is not published with its formula.
// Keys seen are those where `uniform` (head_smoothing.hpp) is not 0. 0 where no query sees two.
double uniformity(const Rows& weights, const Rows& uniform);

// The least number of singular values that hold `share`, in (0, 1), of the sum of their squares: a
// rank that rounding and faint directions do not change. 0 of rows of zeros. Source: [L] plots
// ranks of attention and output matrices; the threshold is ours.
std::size_t rank_holding(const Rows& rows, double share);

}  // namespace sinkproof::estimate
