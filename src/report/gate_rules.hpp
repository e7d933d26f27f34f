// The outcomes of `sinkproof gate` that are no pass, each with its stable code: the one table that
// SARIF's rules, the titles of annotations and docs/ERRORS.md say the same words from.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "report/gate_summary.hpp"

namespace sinkproof::report {

struct GateRule {
  std::string_view code;     // "SP1711"
  std::string_view name;     // "ClaimRefuted": one word for filters
  std::string_view title;    // "refuted": a few words for headings
  GateLevel level;           // kError or kWarning
  std::string_view meaning;  // both as in docs/ERRORS.md, in Markdown without links
  std::string_view what_to_do;
};

// All of them, by code. The order is that of SARIF's ruleIndex.
std::span<const GateRule> gate_rules();

// Where in gate_rules() the outcome of `finding` is. What holds or was not decided again is filed
// under SP1711, the rule it was asked for and did not break. A code that is not in the table (or
// none, where there must be one) is a bug of the gate: SP1717.
std::size_t gate_rule_index(const GateFinding& finding);

}  // namespace sinkproof::report
