// Vector certificates. VECTOR_RULES.md.
#pragma once

#include "check/find.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Verifies everything a vector certificate states; throws Rejected otherwise.
void verify_vectors(const json::Value& certificate, const FileBySha256& file);

}  // namespace sinkproof::check
