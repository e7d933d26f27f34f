// The figures of an attention sample: what Figures 3 to 8 of arXiv:2603.11487 show of their models,
// a panel per layer and head, each on a linear and on a logarithmic scale.
#pragma once

#include <string>
#include <vector>

#include "report/input.hpp"
#include "reproduce/attention_sample.hpp"
#include "reproduce/variant.hpp"

namespace sinkproof::reproduce {

// "MODEL-mean", "MODEL-deviation" and "MODEL-sequence", each followed by "-linear" or "-log"; the
// caption names the paper's figures of the same quantity.
std::vector<report::Figure> figures(const Variant& model, const AttentionSample& sample);

}  // namespace sinkproof::reproduce
