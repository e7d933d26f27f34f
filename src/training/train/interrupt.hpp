// SIGINT and SIGTERM as a flag that a long run looks at (Options::interrupted).
#pragma once

#include <atomic>
#include <csignal>

namespace sinkproof::train {

// While one lives, SIGINT and SIGTERM set `flag()` instead of ending the program; a second signal
// ends it as usual. Only one may live at a time. The handlers found are put back at the end.
class InterruptFlag {
 public:
  InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  ~InterruptFlag();

  [[nodiscard]] static const std::atomic<bool>& flag();

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace sinkproof::train
