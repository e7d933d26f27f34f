// Which claims the patterns of sinkproof.toml mean, and what of that a pull request leaves as it
// was.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "gate/config.hpp"

namespace sinkproof::gate {

// The claim folders of `group` whose names match, in the order of their names. SP1703: a pattern
// that matches none (a claim that was renamed or removed must not leave the gate unseen),
// or there is no such folder of claims. A folder or link that was a claim, but whose claim.toml is
// lost or unreadable, is listed too: reading it is what fails.
exact::Result<std::vector<std::string>> matching_claims(const ClaimGroup& group,
                                                        const std::string& where);

}  // namespace sinkproof::gate
