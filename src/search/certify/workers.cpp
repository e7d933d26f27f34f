#include "certify/workers.hpp"

namespace sinkproof::certify {

Workers::Workers(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) {
    helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
  }
}

Workers::~Workers() {
  for (std::jthread& helper : helpers_) helper.request_stop();
}

void Workers::each(std::size_t count, std::size_t first,
                   const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  const auto offer = offers_.insert(offers_.end(), {count, first, work});
  changed_.notify_all();
  // Who waits for others' work on it helps with what that work offers.
  while (offer->done < count) {
    if (Offer* open = latest_open(offer)) {
      take_one(*open, lock);
    } else {
      changed_.wait(lock);
    }
  }
  offers_.erase(offer);
}

void Workers::help(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (Offer* open = latest_open(offers_.begin())) {
      take_one(*open, lock);
    } else {
      changed_.wait(lock, stop, [&] { return latest_open(offers_.begin()) != nullptr; });
    }
  }
}

Workers::Offer* Workers::latest_open(std::list<Offer>::iterator first) {
  Offer* latest = nullptr;
  for (auto each = first; each != offers_.end(); ++each) {
    if (each->taken < each->count) latest = &*each;
  }
  return latest;
}

void Workers::take_one(Offer& offer, std::unique_lock<std::mutex>& lock) {
  const std::size_t i = (offer.first + offer.taken++) % offer.count;
  lock.unlock();
  offer.work(i);
  lock.lock();
  if (++offer.done == offer.count) changed_.notify_all();
}

}  // namespace sinkproof::certify
