// The whole command line, for who runs it: the program sinkproof, and the Python module.
#pragma once

#include <vector>

#include "cli/command_text.hpp"

namespace sinkproof::cli {

// Does what the words after the program's own name, argv[0], say; returns the exit code of
// docs/DESIGN.md. Bugs that throw end here, as SP0999.
int run(int argc, char** argv);

// The commands a reader is told of, with their options.
std::vector<CommandText> verbs();

}  // namespace sinkproof::cli
