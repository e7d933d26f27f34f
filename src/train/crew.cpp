#include "train/crew.hpp"

namespace sinkproof::train {
namespace {

constexpr int kSpins = 2000;

// Returns once `value` is no longer `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
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
  leaving_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(std::size_t pieces, const Work& work) {
  work_ = &work;
  pieces_ = pieces;
  next_piece_.store(0, std::memory_order_relaxed);
  if (!threads_.empty()) {
    busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take_pieces(0);
  for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;
       busy = busy_.load(std::memory_order_acquire)) {
    await_change(busy_, busy);
  }
}

void Crew::serve(std::size_t worker) {
  for (std::uint32_t seen = 0;;) {
    await_change(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (leaving_) return;
    take_pieces(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Crew::take_pieces(std::size_t worker) {
  for (;;) {
    const std::size_t piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces_) return;
    (*work_)(worker, piece);
  }
}

}  // namespace sinkproof::train
