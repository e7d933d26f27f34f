// Rules `cost`, `infeasible` and `representable`: what it takes to score given vectors in a
// pattern, certified from both sides. VECTOR_RULES.md sections 6.3 to 6.5; claims co-6 and ge-1.
#pragma once

#include "certificate/work.hpp"
#include "check/scaled_matrix.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// `gram` is the Gram matrix of the vectors over its least common denominator. Each throws Rejected
// unless the evidence proves the statement.
void verify_cost(const json::Value& statement, const json::Value& evidence,
                 const ScaledMatrix& gram, certificate::Work& work);
void verify_infeasible(const json::Value& statement, const json::Value& evidence,
                       const ScaledMatrix& gram);
void verify_representable(const json::Value& statement, const json::Value& evidence,
                          const ScaledMatrix& gram);

}  // namespace sinkproof::check
