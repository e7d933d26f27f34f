#include "measure/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sinkproof::measure {

void side_by_side(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& finished) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex guard;
  std::exception_ptr failure;
  const auto take = [&](bool tells) {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        work(i);
        const std::size_t so_far = ++done;
        if (tells && finished) finished(so_far);
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs, count); ++i) {
    others.emplace_back(take, false);
  }
  take(true);
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sinkproof::measure
