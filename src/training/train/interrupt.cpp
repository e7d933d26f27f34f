#include "train/interrupt.hpp"

namespace sinkproof::train {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

void note(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted.store(false, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = note;
  // The first signal asks, the second insists. A write to disk goes on where it was.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

const std::atomic<bool>& InterruptFlag::flag() { return interrupted; }

}  // namespace sinkproof::train
