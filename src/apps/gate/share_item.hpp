// The requirement on `sink-share` (docs/THEORY.md, em-1): which share of samples, layers and heads
// sinks on the given inputs. Enclosed in this run, with a certificate the trusted checker takes.
#pragma once

#include <filesystem>
#include <string>

#include "ci/summary.hpp"
#include "claim/requirement.hpp"
#include "gate/checkpoint_item.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::gate {

// `bytes` are the model's, `claims` the folder of the program's own claims, whose folder checkpoint
// has the hash `claim_hash`.
void decide_share(ci::Finding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const std::string& bytes,
                  const std::filesystem::path& claims, const std::string& claim_hash,
                  const CheckpointRequest& request);

}  // namespace sinkproof::gate
