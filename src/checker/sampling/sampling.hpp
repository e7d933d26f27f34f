// Samples that anybody can draw again: theorem.tc-2 and rule random. CHECKPOINT_RULES.md, 4.17.
#pragma once

#include <string>

#include "certificate/checkpoint.hpp"
#include "forward/pass.hpp"

namespace sinkproof::check {

// The samples of theorem.tc-2 show its delta: no more of them than it admits may have a loss above
// eta at their trigger rows. Throws Rejected otherwise.
void require_sampled(const forward::Prepared& model, const certificate::Checkpoint& stated,
                     const certificate::Sampled& sampled);

// The same of all properties of rule random, which look at the same sequences. False: there are
// none.
bool require_random(const forward::Prepared& model, const certificate::Checkpoint& stated);

}  // namespace sinkproof::check
