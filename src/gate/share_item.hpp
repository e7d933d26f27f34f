// The requirement on `sink-share` (docs/THEORY.md, em-1): which share of samples, layers and heads
// sinks on the given inputs. Enclosed by interval arithmetic in this run; no certificate is about
// it, and the finding says so.
#pragma once

#include "claim/requirement.hpp"
#include "gate/config.hpp"
#include "model/attention_model.hpp"
#include "report/gate_summary.hpp"

namespace sinkproof::gate {

void decide_share(report::GateFinding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const ShareInputs& inputs, unsigned jobs);

}  // namespace sinkproof::gate
