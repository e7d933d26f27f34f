// Checkpoint certificates as a whole. CHECKPOINT_RULES.md sections 4.1 and 4.6, LAYER_RULES.md 5.4.
#pragma once

#include <string>
#include <vector>

#include "check/layer.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Verified {
  std::vector<std::string> claims;  // tc-1, ...: whose truth the theorem entries rest on
  bool statistical = false;         // something holds only with a stated confidence
};

// Verifies everything a checkpoint certificate states about `layer`; throws Rejected otherwise.
Verified verify_checkpoint(const json::Value& certificate, const Layer& layer);

}  // namespace sinkproof::check
