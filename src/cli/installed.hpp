// Where a verb that was told no folder looks for the theory's data, so that an installed program
// finds the installed data from any working directory.
#pragma once

#include <string>

namespace sinkproof::cli {

// `given` unless it is empty; else ./NAME if there is such a folder, else NAME in
// ../share/sinkproof seen from the running program if there is one, else NAME (which the verb will
// then say is missing). NAME is "proofs", "certificates" or "examples/variants".
std::string folder_or_default(const std::string& given, const std::string& name);

}  // namespace sinkproof::cli
