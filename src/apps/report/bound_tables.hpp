// The bounds and theorems of one checkpoint as tables. Numbers are decimals rounded outward: a
// printed interval contains the certificate's.
#pragma once

#include <string>

#include "report/checkpoint_reading.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// How far the two sides are apart, rounded up: upper/lower; for the floor of weights that sum to
// one the same of what is missing from 1. "exact" where they are equal, a dash where the smaller is
// not positive.
std::string ratio(const Bound& bound, const Checkpoint& head);

// The same as a table's cell, with a bar on a logarithmic scale from 1 to 10: a loose bound is to
// look loose.
std::string ratio_cell(const Bound& bound, const Checkpoint& head);

// All bounds, in the certificate's order. Precondition: the outcome shows bounds (status.hpp).
std::string bound_table(const Checkpoint& head, const Outcome& outcome);

// The theorems, "" when there are none. Same precondition.
std::string theorem_table(const Checkpoint& head, const Outcome& outcome);

}  // namespace sinkproof::report
