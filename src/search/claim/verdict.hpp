// The words sinkproof ends with, and the exit codes they map to (docs/DESIGN.md, "Verdicts").
#pragma once

#include <string>
#include <vector>

namespace sinkproof::claim {

enum class Verdict {
  kProved,
  kRefuted,
  kEnclosed,
  kBounded,
  kStatistical,
  kHoley,
  kUnknown,
  kOpen,
  kNotApplicable,
};

// "proved", "refuted", ..., "not-applicable".
std::string to_string(Verdict verdict);

// 0 proved, enclosed, open, not-applicable; 1 refuted; 3 bounded, statistical, holey, unknown.
int exit_code(Verdict verdict);

// The exit code of several outcomes: the first of 5, 4, 1, 2, 3, 0 that occurs; 0 for none.
int combined_exit_code(const std::vector<int>& codes);

}  // namespace sinkproof::claim
