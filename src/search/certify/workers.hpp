// Threads that share work: one that has several independent tasks offers them, and an idle one
// takes some.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace sinkproof::certify {

class Workers {
 public:
  // So many threads, the caller's included; at least one.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // work(i) for all i below count, begun with `first` and in order, each by some thread; returns
  // when all are done. Any thread, also from within work. Precondition: first < count or count = 0;
  // work throws nothing.
  void each(std::size_t count, std::size_t first, const std::function<void(std::size_t)>& work);

 private:
  struct Offer {
    std::size_t count;
    std::size_t first;
    const std::function<void(std::size_t)>& work;
    std::size_t taken = 0;
    std::size_t done = 0;
  };

  void help(const std::stop_token& stop);
  // The last made, from this one on, of which something is left to do: others wait for it. Null.
  Offer* latest_open(std::list<Offer>::iterator first);
  // Does something of it, the lock given back meanwhile.
  void take_one(Offer& offer, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Offer> offers_;
  std::vector<std::jthread> helpers_;  // end before what they use
};

}  // namespace sinkproof::certify
