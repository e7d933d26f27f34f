// Positive semidefiniteness of a symmetric integer matrix, decided by fraction-free elimination
// (Bareiss): every number met is a minor of the matrix, so entries grow linearly and no common
// factor is ever computed. O(n^3) products; exact/ldlt.hpp gives factors and witnesses besides, at
// the price of rationals.
#pragma once

#include "exact/matrix.hpp"

namespace sinkproof::exact {

// Precondition: a is square and symmetric; only its lower triangle is read.
bool is_positive_semidefinite(Matrix<Integer> a);

}  // namespace sinkproof::exact
