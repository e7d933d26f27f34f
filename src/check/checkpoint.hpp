// Checkpoint certificates as a whole. CHECKPOINT_RULES.md sections 4.1 and 4.6, LAYER_RULES.md 5.4.
#pragma once

#include <string>
#include <vector>

#include "check/layer.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Verifies everything a checkpoint certificate states about `layer`; throws Rejected otherwise.
// Returns the claims (tc-1, ...) whose truth its theorem entries rest on.
std::vector<std::string> verify_checkpoint(const json::Value& certificate, const Layer& layer);

}  // namespace sinkproof::check
