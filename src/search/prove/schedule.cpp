#include "prove/schedule.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace sinkproof::prove {
namespace {

enum class State { kWaiting, kRunning, kDone };

class Schedule {
 public:
  explicit Schedule(const std::vector<Task>& tasks)
      : tasks_(tasks), states_(tasks.size()), chains_(tasks.size()), order_(tasks.size()) {
    // A chain has at most as many links as there are tasks; a circle stops there, too.
    for (std::size_t round = 0; round < tasks.size() && lengthen(); ++round) {
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return total(a) > total(b); });
  }

  // Until nothing is left to begin.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      const std::size_t next = choose();
      if (next < tasks_.size()) {
        states_[next] = State::kRunning;
        ++running_;
        lock.unlock();
        tasks_[next].run();
        lock.lock();
        states_[next] = State::kDone;
        --running_;
        changed_.notify_all();
      } else if (running_ == 0) {
        return;
      } else {
        changed_.wait(lock);
      }
    }
  }

 private:
  // What hangs on a task, itself included.
  [[nodiscard]] std::size_t total(std::size_t i) const { return tasks_[i].cost + chains_[i]; }

  // chains_[i]: the costliest chain of tasks that wait for i. False when none became longer.
  bool lengthen() {
    bool longer = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (const std::size_t before : tasks_[i].after) {
        if (chains_[before] >= total(i)) continue;
        chains_[before] = total(i);
        longer = true;
      }
    }
    return longer;
  }

  [[nodiscard]] bool is_ready(std::size_t i) const {
    return std::all_of(tasks_[i].after.begin(), tasks_[i].after.end(),
                       [&](std::size_t before) { return states_[before] == State::kDone; });
  }

  // The task to begin now; tasks_.size() when there is none.
  [[nodiscard]] std::size_t choose() const {
    std::size_t circular = tasks_.size();
    for (const std::size_t i : order_) {
      if (states_[i] != State::kWaiting) continue;
      if (is_ready(i)) return i;
      circular = std::min(circular, i);
    }
    return running_ == 0 ? circular : tasks_.size();
  }

  const std::vector<Task>& tasks_;
  std::vector<State> states_;
  std::vector<std::size_t> chains_;
  std::vector<std::size_t> order_;
  std::size_t running_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace

void run_tasks(const std::vector<Task>& tasks, unsigned jobs) {
  Schedule schedule(tasks);
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < std::min<std::size_t>(std::max(jobs, 1U), tasks.size()); ++t) {
    threads.emplace_back([&] { schedule.work(); });
  }
  schedule.work();
}

}  // namespace sinkproof::prove
