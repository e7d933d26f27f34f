#include "file/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace sinkproof::file {

void keep_standard_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) {
    descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (descriptor > STDERR_FILENO) ::close(descriptor);
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

exact::Result<void> flush_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) return {};
  const std::string why = errno == 0 ? "an earlier write failed" : std::strerror(errno);
  return exact::fail(
      "SP0203", "standard output",
      "cannot be written: " + why +
          ". The printed output is incomplete; send it to a file or a pipe that takes all of it");
}

}  // namespace sinkproof::file
