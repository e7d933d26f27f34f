// Properties random.*: what random sequences of the task show of a model of any depth, with an
// exact confidence bound. CHECKPOINT_RULES.md section 4.17 fixes the law and how samples are drawn;
// here they are evaluated in doubles, and those that doubles do not decide count as exceeding.
#pragma once

#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "certify/entries.hpp"

namespace sinkproof::certify {

// "random.loss" and the like; of lengths up to 4096.
std::vector<std::string> random_names(const model::AttentionModel& model);

// options.samples sequences, at the thresholds options.eta and options.epsilon, or the least with
// two digits that none of them exceeds. `unknown`: over 1000 samples exceed, too few were drawn to
// show anything, or random.sink would have a threshold of 1 or more.
std::vector<Decided> decide_random(const model::AttentionModel& model, const Options& options,
                                   const TriggerRange& triggers,
                                   const std::vector<std::string>& names);

}  // namespace sinkproof::certify
