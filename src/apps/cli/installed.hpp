// Where a command that was told no folder looks for the theory's data, so that a program finds what
// it came with from any working directory.
#pragma once

#include <string>

namespace sinkproof::cli {

// `given` unless it is empty; else ./NAME if there is such a folder, else NAME of what the program
// came with (gate::shipped_folder) if there is one, else NAME (which the command will then say is
// missing). NAME is "proofs", "certificates" or "examples/variants".
std::string folder_or_default(const std::string& given, const std::string& name);

}  // namespace sinkproof::cli
