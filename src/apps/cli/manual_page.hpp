// Manual pages in mdoc(7), which man on Linux, macOS and the BSDs reads, from a command's own text.
// What no option says (what a command is for, examples) comes from a fragment written by hand,
// docs/man/NAME.mdoc: its lines up to `.\" OPTIONS` are the description, the others come after the
// options.
#pragma once

#include <string>
#include <vector>

#include "cli/command_text.hpp"

namespace sinkproof::cli {

struct Page {
  std::string name;     // "sinkproof-certify", in section 1
  std::string command;  // what a reader types: "sinkproof certify"
  std::string version;  // "0.1.0"
  std::string date;     // "November 22, 2026"
  std::string fragment;
};

// The page of one command. `siblings` are the pages of SEE ALSO.
std::string command_page(const Page& page, const CommandText& command,
                         const std::vector<std::string>& siblings);

// The page of the whole program: its commands with their pages, then as above.
std::string program_page(const Page& page, const CommandText& program,
                         const std::vector<CommandText>& verbs);

}  // namespace sinkproof::cli
