// The requirement on `sink-share` (docs/THEORY.md, em-1): which share of samples, layers and heads
// sinks on the given inputs. Enclosed in this run, with a certificate the trusted checker takes.
#pragma once

#include <string>

#include "ci/summary.hpp"
#include "claim/requirement.hpp"
#include "gate/checkpoint_item.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::gate {

void decide_share(ci::Finding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const std::string& bytes,
                  const std::string& claim_hash, const CheckpointRequest& request);

}  // namespace sinkproof::gate
