// The gate's result as Markdown for GITHUB_STEP_SUMMARY: a headline, what does not hold and why,
// what holds with a warning, and, folded away, what holds and what was not decided again.
//
// The tables are HTML blocks, as GitHub Flavored Markdown allows: until a blank line nothing in one
// is read as Markdown, so that escaping HTML is enough for names with pipes, backticks or stars. A
// cell never holds a line feed.
#pragma once

#include <cstddef>
#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci {

// GitHub refuses summaries over 1 MiB; the rest is left to what else the step writes there.
inline constexpr std::size_t kStepSummaryBytes = 1'000'000;

// At most `most_bytes` bytes of UTF-8, ending in a line feed. Rows that have no room are left out,
// those at the end first (problems stand before warnings, those before what holds), and a sentence
// says how many. Precondition: most_bytes >= 32768.
std::string step_summary(const Summary& summary, std::size_t most_bytes = kStepSummaryBytes);

}  // namespace sinkproof::ci
