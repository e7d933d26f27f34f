// Limits of time and memory for the check of one file. The check runs in a child process, so that
// nothing in the checker counts what it does and no certificate can keep its caller busy.
#pragma once

#include <cstdint>
#include <functional>

#include "check/check.hpp"

namespace sinkproof::check {

// What `check` returns, from a child process that may use `limits.seconds` of processor time and
// `limits.memory` megabytes of memory beside what this process holds. Files that are mapped to be
// read do not count as memory. SP0905, exit code 3: a limit was reached. SP0999, exit code 5: the
// child crashed, or there is none. Only an outcome that arrived whole is returned as it is.
// Precondition: no other thread holds a lock that `check` needs, since the child has a copy of this
// thread alone.
Outcome within(const Limits& limits, const std::function<Outcome()>& check);

// Processor time of this thread so far.
std::uint64_t processor_milliseconds();

}  // namespace sinkproof::check
