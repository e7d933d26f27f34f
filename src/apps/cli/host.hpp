// What runs the command line, where that is not the program of its name: a process of the Python
// module (python/). Set before the command line is run, never while it runs.
#pragma once

#include <filesystem>

namespace sinkproof::cli {

struct Host {
  std::filesystem::path file = "/proc/self/exe";  // holds this code; its SHA-256 names the version
  int progress = -1;  // where ProgressLine writes, one JSON object a line; -1: to a terminal
};

Host& host();

}  // namespace sinkproof::cli
