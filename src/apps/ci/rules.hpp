// The outcomes of `sinkproof gate` other than a pass, each with its stable code: the one table that
// SARIF's rules, the titles of annotations and docs/ERRORS_GATE.md say the same words from.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "ci/summary.hpp"

namespace sinkproof::ci {

struct Rule {
  std::string_view code;     // "SP1711"
  std::string_view name;     // "ClaimRefuted": one word for filters
  std::string_view title;    // "refuted": a few words for headings
  Level level;               // kError or kWarning
  std::string_view meaning;  // both as in docs/ERRORS_GATE.md, in Markdown without links
  std::string_view what_to_do;
};

// All of them, by code. The order is that of SARIF's ruleIndex.
std::span<const Rule> rules();

// Where in rules() the outcome of `finding` is. What holds or was not decided again is filed
// under SP1711, the rule it was asked for and did not break. A code that is not in the table (or
// none, where there must be one) is a bug of the gate: SP1717.
std::size_t rule_index(const Finding& finding);

}  // namespace sinkproof::ci
