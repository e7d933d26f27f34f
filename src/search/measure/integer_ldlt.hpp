// Positive semidefiniteness of a symmetric integer matrix, decided by fraction-free elimination
// (Bareiss): every number met is a minor of the matrix, so entries grow linearly and no common
// factor is ever computed. O(n^3) products.
#pragma once

#include "exact/matrix.hpp"

namespace sinkproof::measure {

// Precondition: a is square and symmetric; only its lower triangle is read.
bool is_positive_semidefinite(exact::Matrix<exact::Integer> a);

}  // namespace sinkproof::measure
