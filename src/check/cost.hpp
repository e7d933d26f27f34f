// Rules `cost`, `infeasible` and `representable`: what it takes to score given vectors in a
// pattern, certified from both sides. VECTOR_RULES.md sections 6.3 to 6.5; claims co-6 and ge-1.
#pragma once

#include "certificate/vectors.hpp"
#include "certificate/work.hpp"
#include "check/scaled_matrix.hpp"

namespace sinkproof::check {

// `gram` is the Gram matrix of the vectors over its least common denominator, `stated` read for as
// many. Each throws Rejected unless the evidence proves the statement.
void require_proved(const certificate::Cost& stated, const ScaledMatrix& gram,
                    certificate::Work& work);
void require_proved(const certificate::Infeasible& stated, const ScaledMatrix& gram,
                    certificate::Work& work);
void require_proved(const certificate::Representable& stated, const ScaledMatrix& gram,
                    certificate::Work& work);

}  // namespace sinkproof::check
