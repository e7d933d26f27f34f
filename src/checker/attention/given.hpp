// Rule forward: what a model of any depth does on given inputs. CHECKPOINT_RULES.md, 4.18.
#pragma once

#include <string>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certificate/rule.hpp"
#include "forward/pass.hpp"

namespace sinkproof::check {

// The given inputs, each [L, n]. Throws Rejected.
std::vector<exact::RationalMatrix> given_sequences(const certificate::Checkpoint& stated,
                                                   const FileBySha256& file);

// All properties of rule forward hold. Throws Rejected otherwise.
void require_given(const forward::Prepared& model, const certificate::Checkpoint& stated,
                   const std::vector<exact::RationalMatrix>& sequences);

}  // namespace sinkproof::check
