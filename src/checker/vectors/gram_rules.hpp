// The rules of vector certificates that are about the Gram matrix of the vectors: `cost`,
// `infeasible`, `representable` (VECTOR_RULES.md, 6.3 to 6.5, cost.cpp), and `hull-distance` and
// `switch` (6.6, hull.cpp): how small a combination of the vectors can be, and what that says of a
// head's sink (claims sw-1, sw-2, sw-3 and ge-2).
#pragma once

#include "certificate/vectors.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {

// `stated` read for as many vectors as `gram` has. Each throws Rejected unless the evidence proves
// the statement.
void require_proved(const certificate::Cost& stated, const exact::ScaledMatrix& gram);
void require_proved(const certificate::Infeasible& stated, const exact::ScaledMatrix& gram);
void require_proved(const certificate::Representable& stated, const exact::ScaledMatrix& gram);
void require_proved(const certificate::HullDistance& stated, const exact::ScaledMatrix& gram);
void require_proved(const certificate::Switch& stated, const exact::ScaledMatrix& gram);

}  // namespace sinkproof::check
