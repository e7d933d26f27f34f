#include "cli/console.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace sinkproof::cli {
namespace {

bool colour_welcome() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

unsigned Common::threads() const {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

int report_error(const exact::Error& error) {
  fmt::print(stderr, "error {}  {}: {}\n", error.code, error.where, error.what);
  return kUsage;
}

std::string shown_verdict(const std::string& verdict) {
  if (!colour_welcome()) return verdict;
  const bool good = verdict == "proved" || verdict == "enclosed";
  const bool bad = verdict == "refuted" || verdict == "rejected";
  return fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : bad ? 31 : 33, verdict);
}

ProgressLine::ProgressLine(bool quiet) : enabled_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressLine::show(const std::string& doing, double share, double seconds_left) {
  if (!enabled_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  constexpr double kPatience = 2;
  if (elapsed.count() < kPatience) return;
  if (seconds_left < 0 && share > 0) seconds_left = elapsed.count() * (1 - share) / share;
  const std::string left =
      seconds_left < 0 ? "" : fmt::format(", about {:.0f} s left", seconds_left);
  fmt::print(stderr, "\r\x1b[K{} ({:.0f} %{})", doing, 100 * share, left);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace sinkproof::cli
