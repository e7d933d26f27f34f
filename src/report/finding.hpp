// The page's first sentence and picture: of all checkpoints on it the one of which a theorem forces
// most, its certified bound and the attention map of the exact input that comes nearest to it.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// With an <h1>. Where no theorem forces anything: the first certified loss. "" where no checkpoint
// was accepted in full, or none has such a bound. A model that is missing or cannot be drawn costs
// the map. Precondition: certificates are objects of kind "checkpoint". SP1202 as
// checkpoint_section.
exact::Result<std::string> finding(const std::vector<const Input*>& checkpoints);

}  // namespace sinkproof::report
