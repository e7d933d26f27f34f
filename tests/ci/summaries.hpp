// Results of a gate to write: made by hand, as the gate would report them.
#pragma once

#include <cstddef>
#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci::test {

// Everything holds: one theory claim, one checkpoint.
Summary green();

// Each level and each of the exit codes 0 to 5, in three suites: 10 findings.
Summary mixed();

// Text that tries to become markup, a command, a link or another row in each format, in every field
// that a file of the repository can set.
std::string hostile_text();
Summary hostile();

// `errors` refuted claims e-0, e-1, ... and `warnings` stale ones w-0, ...
Summary many(std::size_t errors, std::size_t warnings);

}  // namespace sinkproof::ci::test
