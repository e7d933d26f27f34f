// Independent pieces of work, several at a time.
#pragma once

#include <cstddef>
#include <functional>

namespace sinkproof::measure {

// Calls work(i) once for every i < count, `jobs` threads at a time, this one among them.
// `finished`, if any, is told now and then, on the calling thread, how many are done.
// What `work` throws is thrown when all threads have ended; nothing more is begun by then.
// Precondition: `work` may run on several threads.
void side_by_side(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& finished = {});

}  // namespace sinkproof::measure
