// The requirement on `sink-share` (docs/THEORY.md, em-1): which share of samples, layers and heads
// sinks on the given inputs. Enclosed by interval arithmetic in this run; no certificate is about
// it, and the finding says so.
#pragma once

#include "ci/summary.hpp"
#include "claim/requirement.hpp"
#include "gate/config.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::gate {

void decide_share(ci::Finding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const ShareInputs& inputs, unsigned jobs);

}  // namespace sinkproof::gate
