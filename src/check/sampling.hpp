// theorem.tc-2: samples that anybody can draw again. CHECKPOINT_RULES.md, 4.17.
#pragma once

#include <string>

#include "certificate/checkpoint.hpp"
#include "certificate/work.hpp"
#include "forward/pass.hpp"

namespace sinkproof::check {

// At most `exceeding` of the samples have a loss that may be above eta at their trigger rows.
// Throws Rejected otherwise.
void require_samples_within(const forward::Prepared& model, const certificate::Checkpoint& stated,
                            const certificate::Sampled& sampled, certificate::Work& work);

// The numbers of samples and exceedances show delta with confidence 1 - alpha. Throws Rejected
// otherwise.
void require_confidence(const certificate::Sampled& sampled);

}  // namespace sinkproof::check
