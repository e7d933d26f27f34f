// A command line that names a command or an option which does not exist: what may have been meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace sinkproof::cli {

// `words` as typed behind the program's name, `parser` after it refused them. One line that says
// which command or option does not exist, and the one with the closest spelling; "" when that is
// not what is wrong.
std::string misspelt(const CLI::App& parser, const std::vector<std::string>& words);

}  // namespace sinkproof::cli
