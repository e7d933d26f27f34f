// Runs another program (cvc5, coqc) under limits, without a shell. A program that crashes, hangs or
// eats memory costs us its time limit and nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

struct Limits {
  unsigned cpu_seconds = 60;                             // RLIMIT_CPU
  unsigned wall_seconds = 120;                           // killed after that
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;  // RLIMIT_AS
};

struct Outcome {
  bool exited = false;     // false: killed by a signal or by us
  int exit_status = 0;     // when exited
  bool timed_out = false;  // killed by us after wall_seconds
  std::string output;      // standard output, at most 1 MiB
  std::string errors;      // standard error, at most 1 MiB
};

// The program's absolute path, looked up in PATH; nothing when it is not installed.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Runs arguments[0] (a path) with standard input closed, in `folder`. SP0701: cannot be started.
exact::Result<Outcome> run_program(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder, const Limits& limits);

}  // namespace sinkproof::prove
