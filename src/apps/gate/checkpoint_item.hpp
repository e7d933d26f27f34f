// One checkpoint the gate was asked about: its committed certificate is checked and its thresholds
// are compared with the bounds the checker accepted, exactly. A certificate that is missing, or was
// made for another model, length or form of attention, is made anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ci/summary.hpp"
#include "claim/checkpoint_claim.hpp"
#include "gate/config.hpp"
#include "gate/lock.hpp"

namespace sinkproof::gate {

struct CheckpointRequest {
  claim::CheckpointClaim claim;
  std::string model_name;             // the model's path as sinkproof.lock has it
  std::filesystem::path folder;       // of a claim in proofs/; empty for one of sinkproof.toml
  std::filesystem::path certificate;  // the committed one
  std::filesystem::path renewed;      // where one made in this run goes
  ShareInputs share;                  // for a requirement on sink-share
  bool stale_fails = false;
  bool verified = false;  // sinkproof-check-verified has to prove what is asked
  check::Limits limits;   // of the check of a committed certificate
  unsigned jobs = 1;
  std::function<void(const std::string& doing, double share_done)> progress;
};

struct CheckpointDecision {
  std::vector<ci::Finding> findings;  // one for each requirement, in their order
  Asked asked;  // empty when the model cannot be read or is not the pinned one
};

// `blanks` has a finding for each requirement, with suite, subject, asked, location and certificate
// set.
CheckpointDecision decide_checkpoint(const CheckpointRequest& request,
                                     std::vector<ci::Finding> blanks);

}  // namespace sinkproof::gate
