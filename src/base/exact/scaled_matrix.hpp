// Products of rational matrices kept as integers over one denominator. VECTOR_RULES.md is about
// such denominators where it limits sizes.
#pragma once

#include "exact/matrix.hpp"
#include "exact/whole.hpp"

namespace sinkproof::exact {

using IntegerMatrix = Matrix<Integer>;

// The same matrix over the least common denominator of its entries.
ScaledMatrix scaled(const RationalMatrix& matrix);
ScaledMatrix reduced(ScaledMatrix matrix);

ScaledMatrix product(const ScaledMatrix& a, const ScaledMatrix& b);

// X X^T over its least common denominator: G_kl = x_k . x_l for the rows of X.
ScaledMatrix gram_of(const ScaledMatrix& rows);

// sum of a_ij b_ij.
Integer inner(const IntegerMatrix& a, const IntegerMatrix& b);

// LDL^T without pivoting, fraction free (Bareiss), as VECTOR_RULES.md 6.2 defines it. Cubic in the
// size; the numbers grow to the size of the leading minors. Precondition: `matrix` is square. A
// matrix that is not symmetric is not semidefinite.
bool is_positive_semidefinite(IntegerMatrix matrix);

}  // namespace sinkproof::exact
