// The command line of the checker, the same for sinkproof-check and `sinkproof check`.
#pragma once

#include <string>
#include <vector>

#include "check/check.hpp"

namespace CLI {
class App;
}

namespace sinkproof::check {

struct Arguments {
  std::string models;
  std::string claims;
  std::vector<std::string> accept;
  Limits limits;
  std::vector<std::string> files;
  std::string format = "text";
  bool quiet = false;
};

// Adds the checker's --accept to a command; `accept` must outlive it.
void add_accept(CLI::App& command, std::vector<std::string>& accept);

// Adds its --seconds and --memory, likewise.
void add_limits(CLI::App& command, Limits& limits);

// Adds all of the checker's options to a command; `arguments` must outlive it.
void add_arguments(CLI::App& command, Arguments& arguments);

// Checks the files, prints one line each (or one JSON object), returns the exit code.
int run(const Arguments& arguments);

// All of sinkproof-check: its command line, checked and carried out.
int program(int argc, char** argv);

}  // namespace sinkproof::check
