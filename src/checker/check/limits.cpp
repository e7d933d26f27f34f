#include "check/limits.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>

#include "exact/error.hpp"
#include "exact/memory.hpp"

namespace sinkproof::check {
namespace {

constexpr int kNoMemory = 3;  // exit status of a child whose allocation failed
constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr const char* kEnd = "end-of-outcome";

std::vector<std::string*> texts_of(Outcome& outcome) {
  return {&outcome.file,   &outcome.claim, &outcome.verdict, &outcome.evidence,
          &outcome.reason, &outcome.code,  &outcome.remarks};
}

// An outcome as text: `kEnd` is the last word.
std::string written(Outcome outcome) {
  std::ostringstream text;
  for (const std::string* field : texts_of(outcome)) text << std::quoted(*field) << ' ';
  text << outcome.overrides.size() << ' ';
  for (const std::string& key : outcome.overrides) text << std::quoted(key) << ' ';
  text << outcome.exit_code << ' ' << kEnd;
  return text.str();
}

// Nothing where a part is missing.
std::optional<Outcome> read(const std::string& bytes) {
  std::istringstream text(bytes);
  Outcome outcome;
  for (std::string* field : texts_of(outcome)) text >> std::quoted(*field);
  std::size_t overrides = 0;
  text >> overrides;
  while (text && outcome.overrides.size() < overrides) {
    text >> std::quoted(outcome.overrides.emplace_back());
  }
  std::string end;
  text >> outcome.exit_code >> end;
  if (!text || end != kEnd) return std::nullopt;
  return outcome;
}

std::string read_all(int file) {
  std::string bytes;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// Bytes of data and stack that this process has; 0 where the kernel does not say.
std::uint64_t held() {
  constexpr std::size_t kDataField = 5;  // from 0, of numbers that are apart by a space
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return 0;
  const std::string text = read_all(statm);
  close(statm);
  std::size_t first = 0;
  for (std::size_t i = 0; i < kDataField; ++i) first = text.find(' ', first) + 1;
  std::uint64_t pages = 0;
  for (; first < text.size() && text[first] >= '0' && text[first] <= '9'; ++first) {
    pages = 10 * pages + static_cast<std::uint64_t>(text[first] - '0');
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void set_limit(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, hard);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, soft);
  if (setrlimit(resource, &limit) != 0) _exit(1);
}

// RLIMIT_DATA and not RLIMIT_AS: a model file that is mapped to be read takes address space, and
// no memory that could not be taken back.
void limit_this_process(const Limits& limits) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  std::signal(SIGXCPU, SIG_DFL);
  const std::uint64_t bytes = held() + limits.memory * kMegabyte;
  set_limit(RLIMIT_CORE, 0, 0);
  set_limit(RLIMIT_DATA, bytes, bytes);
  set_limit(RLIMIT_CPU, limits.seconds, limits.seconds + 1);
  std::set_new_handler([] { _exit(kNoMemory); });
  exact::throw_where_gmp_finds_no_memory();
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

[[noreturn]] void run_child(int file, const Limits& limits, const std::function<Outcome()>& check) {
  limit_this_process(limits);
  int status = 1;
  try {
    status = write_all(file, written(check())) ? 0 : 1;
  } catch (const std::bad_alloc&) {
    status = kNoMemory;
  } catch (...) {
    status = 1;
  }
  _exit(status);  // nothing of the parent's is flushed or destroyed twice
}

Outcome not_checked(int exit_code, std::string code, std::string reason) {
  Outcome outcome;
  outcome.verdict = "unknown";
  outcome.code = std::move(code);
  outcome.reason = std::move(reason);
  outcome.exit_code = exit_code;
  return outcome;
}

Outcome failed(const std::string& why) {
  return not_checked(5, "SP0999", "internal error: " + why);
}

Outcome beyond(const std::string& amount, const std::string& option, std::uint64_t value) {
  return not_checked(3, exact::kLimitReached,
                     "the check needs more than its limit of " + amount +
                         "; to allow more, run the same command with " + option + " " +
                         std::to_string(10 * value));
}

// Why a child left no outcome.
Outcome told_by(int status, std::uint64_t milliseconds, const Limits& limits) {
  const bool signalled = WIFSIGNALED(status);
  const int signal = signalled ? WTERMSIG(status) : 0;
  const bool is_late = milliseconds >= 1000 * limits.seconds;
  if (signal == SIGXCPU || (signal == SIGKILL && is_late)) {
    return beyond(std::to_string(limits.seconds) + " s of processor time", "--seconds",
                  limits.seconds);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMemory) {
    return beyond(std::to_string(limits.memory) + " MB of memory", "--memory", limits.memory);
  }
  return failed(signalled ? "the process of the check was ended by signal " + std::to_string(signal)
                          : "the process of the check left no outcome");
}

std::uint64_t milliseconds_of(const rusage& usage) {
  const auto of = [](const timeval& time) {
    return static_cast<std::uint64_t>(1000 * time.tv_sec + time.tv_usec / 1000);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

Outcome within(const Limits& limits, const std::function<Outcome()>& check) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    return failed(std::string("cannot make a pipe: ") + std::strerror(errno));
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, a child's end cannot be learnt
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], limits, check);
  }
  const int no_child = child < 0 ? errno : 0;
  close(ends[1]);
  const std::string bytes = no_child == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (no_child != 0)
    return failed(std::string("cannot start a process: ") + std::strerror(no_child));
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR)
      return failed(std::string("cannot wait for the process: ") + std::strerror(errno));
  }
  const std::uint64_t milliseconds = milliseconds_of(usage);
  std::optional<Outcome> outcome;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) outcome = read(bytes);
  if (!outcome) outcome = told_by(status, milliseconds, limits);
  outcome->milliseconds = milliseconds;
  return *std::move(outcome);
}

std::uint64_t processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(1000 * now.tv_sec + now.tv_nsec / 1'000'000);
}

}  // namespace sinkproof::check
