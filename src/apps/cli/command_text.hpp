// What a command says of itself, taken from CLI11's data: the one source of `--help`, the manual
// pages and the completions, so that none of them can know an option the others do not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace sinkproof::cli {

// What an argument is, as far as a shell can help with it.
enum class Argument { kNone, kText, kNumber, kFile, kFolder, kChoice, kClaim };

struct OptionText {
  std::vector<std::string> flags;  // "-o", "--output"; empty for a positional argument
  std::string name;                // of the argument, lower case: "file", "dir", "n", "models"
  std::string called;              // how the parser names it: "--output", "models"
  Argument argument = Argument::kNone;
  std::vector<std::string> choices;
  std::string group;        // the heading it is listed under
  std::string description;  // "" if the command has none; pages_test wants one for every option
  std::string range;        // "between 1 and 256", or ""
  std::string by_default;   // the default as the command line would say it, or ""
  bool required = false;
  bool repeated = false;
};

struct CommandText {
  std::string name;  // "certify"; "" for a program
  std::string description;
  std::vector<OptionText> options;
  std::vector<OptionText> positionals;
  std::vector<std::string> examples;  // command lines
};

// Whether the description names every word that may be chosen.
bool names_choices(const OptionText& option);

// The options under each heading, in the order in which the headings first occur; kGeneral, of the
// options that every command has, comes last.
inline constexpr const char* kGeneral = "General";
std::vector<std::pair<std::string, std::vector<OptionText>>> groups_of(const CommandText& command);

// In capitals.
std::string upper(std::string text);

CommandText command_text(const Command& command);

// The commands a reader is told of, in the order of --help: those not hidden.
std::vector<CommandText> verbs_of(const Command& program);

}  // namespace sinkproof::cli
