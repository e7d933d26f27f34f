// Rules `hull-distance` and `switch`: how small a combination of given vectors can be, and what
// that says of a head's sink. VECTOR_RULES.md section 6.6; claims sw-1, sw-2, sw-3 and ge-2.
#pragma once

#include "certificate/vectors.hpp"
#include "certificate/work.hpp"
#include "check/scaled_matrix.hpp"

namespace sinkproof::check {

// `gram` is the Gram matrix of the vectors, `stated` read for as many. Each throws Rejected unless
// the evidence proves the statement.
void require_proved(const certificate::HullDistance& stated, const ScaledMatrix& gram,
                    certificate::Work& work);
void require_proved(const certificate::Switch& stated, const ScaledMatrix& gram,
                    certificate::Work& work);

}  // namespace sinkproof::check
