#include "cli/host.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace sinkproof::cli {

Host& host() {
  static Host instance;
  return instance;
}

void read_host_from_environment() {
  const char* const value = std::getenv("SINKPROOF_PROGRESS");
  if (value == nullptr) return;
  const std::string_view text = value;
  int descriptor = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
  if (error != std::errc() || end != text.data() + text.size()) return;
  if (descriptor <= STDERR_FILENO || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return;
  host().progress = descriptor;
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
}

}  // namespace sinkproof::cli
