// The model as the rigorous forward pass takes it (forward/).
#pragma once

#include "forward/model.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::model {

forward::Model forward_model(const AttentionModel& model);

}  // namespace sinkproof::model
