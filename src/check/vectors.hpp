// Vector certificates, and the same properties as steps of theory certificates. VECTOR_RULES.md.
#pragma once

#include <string>

#include "certificate/work.hpp"
#include "check/vector_input.hpp"
#include "exact/error.hpp"

namespace sinkproof::check {

// Verifies everything a vector certificate states; throws Rejected otherwise.
void verify_vectors(const json::Value& certificate, const FileBySha256& file);

// A step of rule `vectors` (6.8): SP0901, SP0503 or SP0101 with the reason when it does not hold.
exact::Result<void> check_vectors_step(const json::Value& statement, const json::Value& evidence,
                                       certificate::Work& work, const std::string& where);

}  // namespace sinkproof::check
