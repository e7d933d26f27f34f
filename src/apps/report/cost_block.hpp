// The costs of one vector certificate: intervals, what the closed forms of section 5 say where they
// apply, and which pattern is provably cheaper.
#pragma once

#include <string>
#include <vector>

#include "report/cost_findings.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The block, "" for no costs. Precondition: the outcome shows bounds (status.hpp).
std::string cost_block(const std::vector<CostFinding>& costs, const Outcome& outcome);

}  // namespace sinkproof::report
