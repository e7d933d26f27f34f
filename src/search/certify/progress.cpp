#include "certify/progress.hpp"

#include <algorithm>
#include <utility>

namespace sinkproof::certify {

Progress::Progress(Tell tell, double seconds) : tell_(std::move(tell)), seconds_(seconds) {
  if (tell_) clock_ = std::jthread([this](const std::stop_token& stop) { tell_time(stop); });
}

void Progress::begin(const std::string& doing, double share_of_work) {
  if (!tell_) return;
  const std::lock_guard lock(mutex_);
  doing_ = doing;
  share_ = std::max(share_, share_of_work);
  tell_now();
}

void Progress::tell_time(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!doing_.empty()) tell_now();
    told_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  }
}

// Precondition: the mutex is held.
void Progress::tell_now() {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  share_ = std::max(share_, std::min(1.0, elapsed.count() / seconds_));
  tell_(doing_, share_);
}

}  // namespace sinkproof::certify
