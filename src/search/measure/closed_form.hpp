// The closed forms of docs/THEORY.md section 5 (co-1 to co-4) for given tokens: theorems where the
// tokens are, exactly, an instance of that section, and nothing anywhere else. They stand beside
// the interval that measure/cost.hpp certifies, and have to agree with it.
#pragma once

#include <vector>

#include "certificate/pattern.hpp"
#include "exact/error.hpp"
#include "measure/vectors.hpp"
#include "model/sink_and_diagonal.hpp"

namespace sinkproof::measure {

// For each pattern bounds on the least ||W_Q||_F^2 + ||W_K||_F^2, or the hypothesis that fails; the
// structure is looked for once for patterns of the same roles that follow each other. Precondition:
// the patterns name rows of `rows`. SP1616: a pattern of listed constraints, no copy for each
// group, or a group of one token. SP1617: norms or orthogonality of BOS, the copies and the group
// means. SP1618: lam^2 is not in [1/2, 1). SP1619: the noise has not equal norms, or two tokens of
// a group are equal. SP1620: more than 128 tokens.
std::vector<exact::Result<model::ClosedForm>> closed_forms(
    const DyadicMatrix& rows, const std::vector<certificate::Pattern>& patterns);

}  // namespace sinkproof::measure
