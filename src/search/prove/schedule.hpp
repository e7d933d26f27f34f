// Runs pieces of work of which some need others done first, so that a long chain does not start
// last: of those that are ready the one goes first that the most work still hangs on.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace sinkproof::prove {

struct Task {
  std::function<void()> run;       // must not throw
  std::size_t cost = 0;            // an estimate, in any unit all tasks share
  std::vector<std::size_t> after;  // indices of the tasks to be done before
};

// Runs every task once, on `jobs` threads (0 counts as 1), and returns when all are done. What a
// task has written can be read by those that come after it, and by the caller. Tasks that wait for
// one another in a circle are run all the same, the first of them first.
void run_tasks(const std::vector<Task>& tasks, unsigned jobs);

}  // namespace sinkproof::prove
