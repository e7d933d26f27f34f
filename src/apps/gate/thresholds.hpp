// Thresholds put to the certificates of a page.
#pragma once

#include <set>
#include <vector>

#include "claim/requirement.hpp"
#include "exact/error.hpp"
#include "report/input.hpp"

namespace sinkproof::gate {

// Puts the thresholds to every accepted certificate of a checkpoint or cover that states such a
// property; the exit codes of their verdicts. SP1206: one was put to none.
exact::Result<std::set<int>> put_thresholds(const std::vector<claim::Requirement>& requirements,
                                            std::vector<report::Input>& inputs);

}  // namespace sinkproof::gate
