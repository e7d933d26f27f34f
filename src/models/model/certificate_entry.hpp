// The model as a checkpoint certificate names it
// (src/checker/certificate/CHECKPOINT_RULES.md, 4.1).
#pragma once

#include "json/strict.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::model {

json::Value certificate_entry(const AttentionModel& model);

}  // namespace sinkproof::model
