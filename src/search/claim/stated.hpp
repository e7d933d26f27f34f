// What the evidence of a claim states, for a person to read beside the author's words: Coq's
// sentence as it stands in the statement file, an implication's hypotheses and conclusion, a
// threshold.
#pragma once

#include <optional>
#include <string>

#include "claim/claim.hpp"

namespace sinkproof::claim {

// `name` as in Sentence::says. Nothing: the claim has no such thing, or its file cannot be read.
std::optional<std::string> stated(const Claim& claim, const std::string& name);

}  // namespace sinkproof::claim
