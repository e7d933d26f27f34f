// What the writers of a gate's result say in the same words and count in the same way. Nothing here
// is escaped: each writer does that for its own format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ci/summary.hpp"

namespace sinkproof::ci {

struct Counts {
  std::size_t passes = 0;
  std::size_t warnings = 0;
  std::size_t errors = 0;
  std::size_t unchanged = 0;
};

Counts counts_of(const Summary& summary);

// Whether the build is red: an exit code other than 0, or a finding of level kError.
bool is_red(const Summary& summary);

// "pass", "warning", "error", "unchanged".
std::string_view level_word(Level level);

// "[0.01, 0.02]", ">= 0.9", "<= 0.02"; "" without bounds.
std::string bounds_text(const Finding& finding);

// What was asked, and of which inputs: "proved"; "sup-loss<=0.02 at length 8, box [-1,1]^5".
std::string asked_text(const Finding& finding);

// "tc-1, asked proved: MESSAGE".
std::string finding_sentence(const Finding& finding);

// What an exit code of the gate means, docs/DESIGN.md.
std::string_view exit_code_words(int exit_code);

// Rounded; 0 for what is not a time (negative, not a number), at most a thousand years.
std::int64_t milliseconds(double seconds);

}  // namespace sinkproof::ci
