#include "train/crew.hpp"

#include <hwy/cache_control.h>

namespace sinkproof::train {
namespace {

// Some tens of microseconds: longer than what one thread does alone between two lists of pieces.
constexpr int kSpins = 2000;
constexpr std::uint64_t kNextList = std::uint64_t{1} << 32U;
constexpr std::uint64_t kPieces = kNextList - 1;

// Returns once `value` is no longer `old`, at first without sleeping.
template <typename T>
void await_change(const std::atomic<T>& value, T old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    hwy::Pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Crew::Crew(std::size_t workers) {
  for (std::size_t worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

Crew::~Crew() {
  leaving_.store(true, std::memory_order_relaxed);
  untaken_.fetch_add(kNextList, std::memory_order_release);
  untaken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(std::uint32_t pieces, const Work& work) {
  work_ = &work;
  unfinished_.store(pieces, std::memory_order_relaxed);
  untaken_.store((untaken_.load(std::memory_order_relaxed) | kPieces) + 1 + pieces,
                 std::memory_order_release);
  untaken_.notify_all();
  take_pieces(0);
  for (auto left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    await_change(unfinished_, left);
  }
}

void Crew::serve(std::size_t worker) {
  for (;;) {
    take_pieces(worker);
    const std::uint64_t seen = untaken_.load(std::memory_order_acquire);
    if (leaving_.load(std::memory_order_relaxed)) return;
    if ((seen & kPieces) == 0) await_change(untaken_, seen);
  }
}

void Crew::take_pieces(std::size_t worker) {
  std::uint64_t seen = untaken_.load(std::memory_order_acquire);
  while ((seen & kPieces) != 0) {
    if (!untaken_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) continue;
    (*work_)(worker, (seen & kPieces) - 1);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    seen = untaken_.load(std::memory_order_acquire);
  }
}

}  // namespace sinkproof::train
