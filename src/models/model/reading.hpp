// The model as a checkpoint certificate names it
// (src/checker/certificate/CHECKPOINT_RULES.md, 4.1).
#pragma once

#include "certificate/checkpoint.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::model {

certificate::ModelReading reading_of(const AttentionModel& model);

}  // namespace sinkproof::model
