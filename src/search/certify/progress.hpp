// What a search tells of itself while it runs: what it is deciding, every second, and how far it
// is, of its work or of its time, the larger share and never less than before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sinkproof::certify {

class Progress {
 public:
  // Never called at the same time from two threads.
  using Tell = std::function<void(const std::string& doing, double share_done)>;

  // `tell` may be empty. Precondition: seconds > 0; they begin now.
  Progress(Tell tell, double seconds);

  // Any thread. The share of the work that is done, in [0, 1].
  void begin(const std::string& doing, double share_of_work);

 private:
  void tell_time(const std::stop_token& stop);
  void tell_now();

  using Clock = std::chrono::steady_clock;
  Tell tell_;
  double seconds_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable_any told_;
  std::string doing_;
  double share_ = 0;
  std::jthread clock_;  // ends before what it uses
};

}  // namespace sinkproof::certify
