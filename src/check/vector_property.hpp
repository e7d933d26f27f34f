// One property of given vectors, whatever its name. VECTOR_RULES.md sections 6.3 to 6.6.
#pragma once

#include <cstdint>

#include "certificate/work.hpp"
#include "check/scaled_matrix.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// What is left to spend, and the sizes that a property's work depends on (FORMAT.md section 7).
struct PropertyWork {
  certificate::Work& work;
  std::uint64_t bits;     // v
  std::uint64_t longest;  // D
};

// The `property` a statement names. Throws Rejected.
std::string property_of(const json::Value& statement);

// Throws Rejected unless the evidence proves the statement about vectors with this Gram matrix,
// within the budget; a name other than cost, infeasible, representable, hull-distance and switch is
// a reason.
void verify_vector_property(const json::Value& statement, const json::Value& evidence,
                            const ScaledMatrix& gram, const PropertyWork& work);

}  // namespace sinkproof::check
