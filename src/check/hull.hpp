// Rules `hull-distance` and `switch`: how small a combination of given vectors can be, and what
// that says of a head's sink. VECTOR_RULES.md section 6.6; claims sw-1, sw-2, sw-3 and ge-2.
#pragma once

#include "check/scaled_matrix.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// `gram` is the Gram matrix of the vectors. Each throws Rejected unless the evidence proves the
// statement.
void verify_hull_distance(const json::Value& statement, const json::Value& evidence,
                          const ScaledMatrix& gram);
void verify_switch(const json::Value& statement, const json::Value& evidence,
                   const ScaledMatrix& gram);

}  // namespace sinkproof::check
