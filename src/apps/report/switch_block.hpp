// What a head can put out and what that says of its sink (VECTOR_RULES.md 6.6; claims sw-1 to sw-3
// and ge-2): distances of hulls from the origin, and switches.
#pragma once

#include <string>

#include "report/input.hpp"
#include "report/vector_reading.hpp"

namespace sinkproof::report {

// The block, "" when the certificate has neither property; `id` is that of its card, for the ids of
// charts. Precondition: the outcome shows bounds.
std::string switch_block(const Vectors& vectors, const std::string& id, const Outcome& outcome);

}  // namespace sinkproof::report
