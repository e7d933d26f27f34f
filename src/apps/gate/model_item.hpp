// One language model the gate was asked about: what it does on every sequence of a set, by a cover
// certificate (COVER_RULES.md).
#pragma once

#include <vector>

#include "certificate/cover.hpp"
#include "ci/summary.hpp"
#include "gate/bounds_item.hpp"
#include "gate/config.hpp"

namespace sinkproof::gate {

struct ModelRequest : Request {
  ModelItem item;
};

// The bounds of every figure that it states, as thresholds name them: of "accuracy", a share,
// "right" and "wrong", which are numbers of sequences, and of "margin.least" and "margin.greatest"
// and the like of other figures.
std::vector<CertifiedBounds> bounds_of(const certificate::Cover& stated);

// `blanks` as of decide_bounds.
Decision decide_model(const ModelRequest& request, std::vector<ci::Finding> blanks);

}  // namespace sinkproof::gate
