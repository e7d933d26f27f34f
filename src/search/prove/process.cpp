#include "prove/process.hpp"

#include <fcntl.h>
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;
constexpr int kCannotExecute = 127;

class Pipe {
 public:
  Pipe() { is_open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t end) {
    if (is_open_ && ends_.at(end) >= 0) ::close(ends_.at(end));
    ends_.at(end) = -1;
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] int end(std::size_t index) const { return ends_.at(index); }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool is_open_ = false;
};

// In the child, between fork and exec: only functions that are safe after a signal. It is in a
// group of its own, which no Ctrl-C of a terminal reaches, and so ends with the thread that waits
// for it.
[[noreturn]] void become(char* const* arguments, const char* folder, int output, int errors,
                         const Limits& limits) {
  const rlimit cpu = {limits.cpu_seconds, limits.cpu_seconds};
  const rlimit memory = {limits.memory_bytes, limits.memory_bytes};
  const rlimit core = {0, 0};
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  ::signal(SIGPIPE, SIG_DFL);  // this process ignores it (file/streams.hpp)
  const int input = ::open("/dev/null", O_RDONLY);
  if (input >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(errors, STDERR_FILENO) >= 0 && ::setrlimit(RLIMIT_CPU, &cpu) == 0 &&
      ::setrlimit(RLIMIT_AS, &memory) == 0 && ::setrlimit(RLIMIT_CORE, &core) == 0 &&
      ::chdir(folder) == 0) {
    ::execv(arguments[0], arguments);
  }
  ::_exit(kCannotExecute);
}

// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  const std::size_t room = kMaxOutput - std::min(kMaxOutput, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  return true;
}

// Collects both streams until they end or the deadline passes; false when it passed.
bool collect(int output, int errors, Clock::time_point deadline, Outcome& outcome) {
  std::array<pollfd, 2> streams{pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (::poll(streams.data(), streams.size(), static_cast<int>(left)) < 0 && errno != EINTR) break;
    if (streams[0].revents != 0 && !drain(output, outcome.output)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(errors, outcome.errors)) streams[1].fd = -1;
  }
  return true;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// One thread at a time: two in Z3's handlers for fork, which take locks of its own, wait for each
// other forever (seen with libz3 4.8.12).
pid_t fork_alone() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return ::fork();
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    std::error_code ignored;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

exact::Result<Outcome> run_program(const std::vector<std::string>& arguments,
                                   const fs::path& folder, const Limits& limits) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& copy : copies) pointers.push_back(copy.data());
  pointers.push_back(nullptr);
  const std::string where = folder.string();
  Pipe output;
  Pipe errors;
  const pid_t child = output.is_open() && errors.is_open() ? fork_alone() : -1;
  if (child < 0) {
    return exact::fail("SP0701", arguments[0],
                       std::string("cannot start: ") + std::strerror(errno));
  }
  if (child == 0) become(pointers.data(), where.c_str(), output.end(1), errors.end(1), limits);
  output.close_end(1);
  errors.close_end(1);
  Outcome outcome;
  const auto deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
  outcome.timed_out = !collect(output.end(0), errors.end(0), deadline, outcome);
  if (outcome.timed_out) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
  }
  const int status = wait_for(child);
  outcome.exited = !outcome.timed_out && WIFEXITED(status);
  outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (outcome.exited && outcome.exit_status == kCannotExecute) {
    return exact::fail("SP0701", arguments[0], "cannot be executed");
  }
  return outcome;
}

}  // namespace sinkproof::prove
