// Who runs the program, where that is not a person at a terminal: the Python module (python/).
#pragma once

namespace sinkproof::cli {

struct Host {
  int progress = -1;  // where ProgressLine writes, one JSON object a line; -1: to a terminal
};

Host& host();

// Takes `progress` from the environment variable SINKPROOF_PROGRESS, an open descriptor above 2;
// any other value, and none, leave it as it is. Who asks for progress and no longer reads it wants
// no result either: writing then ends this process (SIGPIPE).
void read_host_from_environment();

}  // namespace sinkproof::cli
