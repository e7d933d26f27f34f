// Whether a symmetric integer matrix is positive semidefinite: LDL^T without pivoting, fraction
// free (Bareiss), as VECTOR_RULES.md 6.2 defines it. Cubic in the size; the numbers grow to the
// size of the leading minors.
#pragma once

#include "check/scaled_matrix.hpp"

namespace sinkproof::check {

// Precondition: `matrix` is square. A matrix that is not symmetric is not semidefinite.
bool is_positive_semidefinite(IntegerMatrix matrix);

}  // namespace sinkproof::check
