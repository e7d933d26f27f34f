// Whether a margin system can be had at all (VECTOR_RULES.md 6.4, 6.5; claim ge-1): systems that
// no matrix satisfies, and the margin of those that some do.
#pragma once

#include <string>

#include "report/input.hpp"
#include "report/vector_reading.hpp"

namespace sinkproof::report {

// The block, "" when the certificate has neither property. Precondition: the outcome shows bounds.
std::string margin_block(const Vectors& vectors, const Outcome& outcome);

}  // namespace sinkproof::report
