// Vector certificates. VECTOR_RULES.md.
#pragma once

#include <string>

#include "certificate/rule.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Verifies everything a vector certificate states; throws Rejected otherwise.
void verify_vectors(const json::Value& certificate, const FileBySha256& file);

// The same of a step of a theory certificate, whose vectors are written out. VECTOR_RULES.md, 6.8.
void check_vectors_step(const json::Value& statement, const json::Value& evidence,
                        const std::string& where);

}  // namespace sinkproof::check
