// The exit codes of every command, as --help and the manual show them (docs/DESIGN.md).
#pragma once

#include <array>

#include "cli/console.hpp"

namespace sinkproof::cli {

struct ExitCode {
  int code;
  const char* meaning;
};

inline constexpr std::array<ExitCode, 6> kExitCodes = {{
    {kOk, "everything asked was proved, enclosed or accepted"},
    {kRefuted, "refuted, with an exact witness"},
    {kUsage, "usage or bad input"},
    {kUnknown, "unknown, a limit reached, or not fully verified"},
    {kRejected, "a certificate was rejected"},
    {kInternal, "internal error, or two checkers or solvers disagree"},
}};

}  // namespace sinkproof::cli
