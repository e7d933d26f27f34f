// The text of --help.
#pragma once

#include <string>
#include <vector>

#include "cli/command_text.hpp"

namespace sinkproof::cli {

// Of a command called as `called`, such as "sinkproof certify": options under their headings, lines
// of at most 100 columns, examples, exit codes. `commands`: of a program that has commands.
std::string help_text(const CommandText& command, const std::string& called,
                      const std::vector<CommandText>& verbs);

}  // namespace sinkproof::cli
