// What every command prints with: results on stdout, errors and progress on stderr, colour only
// where it is welcome. Text among the arguments may come from a file, which anybody may have
// written: it is shown as json::visible has it. A write that fails is noticed where the program
// ends (file/streams.hpp).
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "exact/error.hpp"
#include "json/visible.hpp"

namespace sinkproof::cli {

// The options every command has.
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

// Text that is printed as it is: made here, or made visible before.
struct Printed {
  std::string text;
};

// Text of several lines, each made visible.
Printed lines(std::string_view text);

template <typename T>
inline constexpr bool kIsText = std::is_convertible_v<const T&, std::string_view>;

// What stands for an argument of this type.
template <typename T>
using Shown = std::conditional_t<kIsText<T>, std::string,
                                 std::conditional_t<std::is_same_v<T, Printed>, std::string, T>>;

template <typename T>
Shown<T> shown_argument(const T& argument) {
  if constexpr (kIsText<T>) {
    return json::visible(argument);
  } else if constexpr (std::is_same_v<T, Printed>) {
    return argument.text;
  } else {
    return argument;
  }
}

// fmt::format with its arguments shown.
template <typename... T>
std::string shown_format(fmt::format_string<Shown<T>...> format, const T&... arguments) {
  return fmt::format(format, shown_argument(arguments)...);
}

// The same, printed.
template <typename... T>
void say_to(std::FILE* stream, fmt::format_string<Shown<T>...> format, const T&... arguments) {
  const std::string text = shown_format(format, arguments...);
  std::fwrite(text.data(), 1, text.size(), stream);
}
template <typename... T>
void say(fmt::format_string<Shown<T>...> format, const T&... arguments) {
  say_to(stdout, format, arguments...);
}
// A JSON object and a line feed on stdout.
void say_json(const json::Value& value);

// From now on errors are JSON, a line each: {"error": {"code", "where", "what"}}.
void report_errors_as_json();

// "error SP0201  model.safetensors: cannot open ..." on stderr; returns kUsage. An error without a
// code is about the command line.
int report_error(const exact::Error& error);

// A verdict as shown in a table: the word, coloured when stdout is a terminal and NO_COLOR is not
// set.
Printed shown_verdict(const std::string& verdict);

// Progress on stderr from two seconds on: on a terminal one line that rewrites itself, elsewhere a
// line every ten seconds; where a host wants to know (host.hpp), from the beginning lines
// {"doing", "share", "seconds_left"} to it.
class ProgressLine {
 public:
  // budget_seconds: of the whole search, 0 where it has none.
  explicit ProgressLine(bool quiet, double budget_seconds = 0);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  // share in [0, 1]. Shows the time left where it is known (seconds_left >= 0), else the time
  // elapsed and the budget: a search's share does not grow at an even pace.
  void show(const std::string& doing, double share, double seconds_left = -1);
  // For work of equal steps: the time left is estimated from the pace so far.
  void show_steady(const std::string& doing, double share);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool rewrites_;
  bool shown_ = false;
  double budget_seconds_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;  // nobody reads faster than that
};

}  // namespace sinkproof::cli
