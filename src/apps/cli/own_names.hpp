// Names for what a command makes of several inputs.
#pragma once

#include <string>
#include <vector>

namespace sinkproof::cli {

// The last part of each path, numbered where another one has it: unlike any other of them.
std::vector<std::string> own_names(const std::vector<std::string>& paths);

}  // namespace sinkproof::cli
