// How much noise a model bears: for which boxes [-r,r]^d a threshold holds. Boxes are tried, each
// with the whole search and the checker, by halving between one that is proved to meet the
// threshold and one that is not. Property `largest-box` (CHECKPOINT_RULES.md, 4.7).
#pragma once

#include <vector>

#include "certify/accepted.hpp"
#include "claim/requirement.hpp"

namespace sinkproof::certify {

// The certification at the largest box found to meet all requirements, which are on single
// properties (requirements.hpp), and for each of them a property `largest-box.NAME`: lower is that
// box's r, upper the least r at which a witness beyond the threshold was found, if any. They are
// `unknown` where no box from 2^-10 up was found. Looks for options.stack.seconds.
// SP1411: a requirement that a smaller box may miss, or on one head. Those of certify_accepted()
// where they come of every box.
exact::Result<Certification> certify_largest_box(
    const model::AttentionModel& model, const Options& options,
    const std::vector<claim::Requirement>& requirements, const Accept& accept);

}  // namespace sinkproof::certify
