// Completions of the command line for bash, zsh and fish, from the commands' own text. They stand
// alone: bash needs no bash-completion package.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_text.hpp"

namespace sinkproof::cli {

// A program beside `sinkproof-check` that takes the options of the command `check`.
struct OtherChecker {
  std::string_view name;
  std::string_view description;
  std::size_t examples;  // how many of the command's examples work with it, from the first on
};

inline constexpr std::array kOtherCheckers = {
    OtherChecker{"sinkproof-check-verified",
                 "The certificate checker whose verdicts are proved in Coq", 1},
    OtherChecker{"sinkproof-recheck", "The second certificate checker, in plain Python", 2},
};

// Of `sinkproof` with its commands, and of `sinkproof-check` and the other checkers.
struct CompletedProgram {
  CommandText program;
  std::vector<CommandText> verbs;
  CommandText checker;
};

std::string bash_completion(const CompletedProgram& program);
std::string zsh_completion(const CompletedProgram& program);
std::string fish_completion(const CompletedProgram& program);

}  // namespace sinkproof::cli
