// What every verb prints with: errors and progress on stderr, colour only where it is welcome.
#pragma once

#include <chrono>
#include <string>

#include "exact/error.hpp"

namespace sinkproof::cli {

// The options every verb has.
struct Common {
  std::string format = "text";  // or "json"
  bool quiet = false;
  unsigned jobs = 0;  // 0: as many as there are processors

  [[nodiscard]] bool json() const { return format == "json"; }
  [[nodiscard]] unsigned threads() const;
};

// Exit codes of docs/DESIGN.md.
inline constexpr int kOk = 0;
inline constexpr int kRefuted = 1;
inline constexpr int kUsage = 2;
inline constexpr int kUnknown = 3;
inline constexpr int kRejected = 4;
inline constexpr int kInternal = 5;

// "error SP0201  model.safetensors: cannot open ..." on stderr; returns kUsage.
int report_error(const exact::Error& error);

// A verdict as shown in a table: the word, coloured when stdout is a terminal and NO_COLOR is not
// set.
std::string shown_verdict(const std::string& verdict);

// Progress on stderr from two seconds on: on a terminal one line that rewrites itself, elsewhere a
// line every ten seconds; where a host wants to know (host.hpp), from the beginning lines
// {"doing", "share", "seconds_left"} to it.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // share in [0, 1]; the estimate of the time left is from it, or given in seconds when >= 0.
  void show(const std::string& doing, double share, double seconds_left = -1);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool rewrites_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;  // nobody reads faster than that
};

}  // namespace sinkproof::cli
