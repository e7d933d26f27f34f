// What is wrong with a command line that was refused, and what may have been meant.
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

// What a command line lacks that a required option, argument or command is left out of: "certify
// needs MODELS: Checkpoints NAME.safetensors, or folders of them". "" when nothing is.
std::string missing(const CLI::App& parser);

}  // namespace sinkproof::cli
