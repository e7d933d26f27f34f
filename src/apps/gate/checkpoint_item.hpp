// One checkpoint the gate was asked about: its committed certificate is checked and its thresholds
// are compared with the bounds the checker accepted, exactly. A certificate that is missing, or was
// made for another model, length or form of attention, is made anew.
#pragma once

#include <filesystem>
#include <vector>

#include "ci/summary.hpp"
#include "claim/checkpoint_claim.hpp"
#include "gate/bounds_item.hpp"
#include "gate/config.hpp"

namespace sinkproof::gate {

struct CheckpointRequest : Request {
  claim::CheckpointClaim claim;
  std::filesystem::path folder;  // of a claim in proofs/; empty for one of sinkproof.toml
  ShareInputs share;             // for a requirement on sink-share
};

// `blanks` has a finding for each requirement, with suite, subject, asked, location and certificate
// set.
Decision decide_checkpoint(const CheckpointRequest& request, std::vector<ci::Finding> blanks);

}  // namespace sinkproof::gate
