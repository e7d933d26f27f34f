#include "cli/console.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "cli/host.hpp"
#include "model/what_is_at.hpp"

namespace sinkproof::cli {
namespace {

bool g_errors_are_json = false;  // of the process: it runs one command

bool wants_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

// One write for a line: shorter than a pipe takes at once.
void tell_host(const std::string& doing, double share, double seconds_left) {
  const json::Value told = {
      {"doing", doing},
      {"share", share},
      {"seconds_left", seconds_left < 0 ? json::Value(nullptr) : json::Value(seconds_left)}};
  const std::string line = told.dump(-1, ' ', false, json::Value::error_handler_t::replace) + "\n";
  const ssize_t ignored = ::write(host().progress, line.data(), line.size());
  static_cast<void>(ignored);  // progress is not evidence: a reader may miss it
}

}  // namespace

unsigned Common::threads() const {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

void report_errors_as_json() { g_errors_are_json = true; }

namespace {

// The codes of a file or folder that is not of the kind that the command reads.
constexpr std::array<std::string_view, 8> kOtherKind = {"SP0201", "SP0301", "SP0401", "SP1115",
                                                        "SP1508", "SP1903", "SP1904", "SP2004"};

// What is there instead is said behind the error.
exact::Error with_what_is_there(exact::Error error) {
  if (std::find(kOtherKind.begin(), kOtherKind.end(), error.code) == kOtherKind.end()) return error;
  const bool is_path = error.code == "SP0201" || error.code == "SP1904" || error.code == "SP2004";
  std::error_code ignored;
  if (!is_path && !std::filesystem::exists(error.where, ignored)) return error;
  const std::string found = model::what_is_at(error.where);
  if (!found.empty()) error.what += ". " + found;
  return error;
}

}  // namespace

int report_error(const exact::Error& given) {
  const exact::Error error = with_what_is_there(given);
  const Printed what = error.has_lines ? lines(error.what) : Printed{json::visible(error.what)};
  if (g_errors_are_json) {
    const auto text = [](const std::string& value) {
      return value.empty() ? json::Value() : json::Value(json::visible(value));
    };
    const json::Value value = {
        {"error", {{"code", text(error.code)}, {"where", text(error.where)}, {"what", what.text}}}};
    say_to(stderr, "{}\n", Printed{value.dump(-1, ' ', true)});
  } else if (error.code.empty()) {
    say_to(stderr, "{}\n", what);
  } else {
    say_to(stderr, "error {}  {}: {}\n", error.code, error.where, what);
  }
  return kUsage;
}

Printed lines(std::string_view text) {
  Printed printed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    printed.text += json::visible(text.substr(0, end));
    if (end < text.size()) printed.text += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return printed;
}

void say_json(const json::Value& value) { say("{}\n", Printed{json::visible_dump(value)}); }

Printed shown_verdict(const std::string& verdict) {
  if (!wants_colour()) return {json::visible(verdict)};
  const bool good = verdict == "proved" || verdict == "enclosed";
  const bool bad = verdict == "refuted" || verdict == "rejected";
  return {shown_format("\x1b[{}m{}\x1b[0m", good ? 32 : bad ? 31 : 33, verdict)};
}

ProgressLine::ProgressLine(bool quiet, double budget_seconds)
    : enabled_(!quiet),
      rewrites_(isatty(STDERR_FILENO) != 0),
      budget_seconds_(budget_seconds),
      next_(start_ + std::chrono::seconds(host().progress >= 0 ? 0 : 2)) {}

ProgressLine::~ProgressLine() {
  if (shown_ && rewrites_) say_to(stderr, "\r\x1b[K");
}

void ProgressLine::show(const std::string& doing, double share, double seconds_left) {
  const auto now = Clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + (rewrites_ || host().progress >= 0 ? std::chrono::milliseconds(100)
                                                   : std::chrono::milliseconds(10'000));
  const std::chrono::duration<double> elapsed = now - start_;
  if (host().progress >= 0) return tell_host(doing, share, seconds_left);
  const std::string time = seconds_left >= 0     ? fmt::format("about {:.0f} s left", seconds_left)
                           : budget_seconds_ > 0 ? fmt::format("{:.0f} s elapsed, budget {:.3g} s",
                                                               elapsed.count(), budget_seconds_)
                                                 : fmt::format("{:.0f} s elapsed", elapsed.count());
  if (rewrites_) say_to(stderr, "\r\x1b[K");
  say_to(stderr, "{} ({:.0f} %, {})", doing, 100 * share, time);
  if (!rewrites_) say_to(stderr, "\n");
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::show_steady(const std::string& doing, double share) {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  show(doing, share, share > 0 ? elapsed.count() * (1 - share) / share : -1);
}

}  // namespace sinkproof::cli
