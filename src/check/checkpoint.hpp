// Checkpoint certificates as a whole. CHECKPOINT_RULES.md sections 4.1 and 4.6.
#pragma once

#include <string>
#include <vector>

#include "check/head.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Verifies everything a checkpoint certificate states about `head`; throws Rejected otherwise.
// Returns the claims (tc-1, ...) whose truth its theorem entries rest on.
std::vector<std::string> verify_checkpoint(const json::Value& certificate, const Head& head);

}  // namespace sinkproof::check
