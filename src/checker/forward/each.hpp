// Work that may be shared out: the trusted base does it in turn, producers on threads.
#pragma once

#include <cstddef>
#include <functional>

namespace sinkproof::forward {

// Calls a function with 0 .. count - 1, in any order, on any threads.
using ForEach =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)>;

// One after the other, here.
inline void in_turn(std::size_t count, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

}  // namespace sinkproof::forward
