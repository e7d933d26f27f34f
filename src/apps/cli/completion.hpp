// Completions of the command line for bash, zsh and fish, from the commands' own text. They stand
// alone: bash needs no bash-completion package.
#pragma once

#include <string>
#include <vector>

#include "cli/command_text.hpp"

namespace sinkproof::cli {

// Of `sinkproof` with its commands, and of `sinkproof-check` and `sinkproof-recheck`, which take
// what the command `check` takes.
struct CompletedProgram {
  CommandText program;
  std::vector<CommandText> verbs;
  CommandText checker;
};

std::string bash_completion(const CompletedProgram& program);
std::string zsh_completion(const CompletedProgram& program);
std::string fish_completion(const CompletedProgram& program);

}  // namespace sinkproof::cli
