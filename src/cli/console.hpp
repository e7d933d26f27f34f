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

// One line on stderr that rewrites itself, from two seconds on, on a terminal only.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // share in [0, 1]; the estimate of the time left is from it, or given in seconds when >= 0.
  void show(const std::string& doing, double share, double seconds_left = -1);

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sinkproof::cli
