// A row's logits become its attention weights. CHECKPOINT_RULES.md, 4.6.
#pragma once

#include <vector>

#include "certificate/attention.hpp"
#include "forward/ball.hpp"

namespace sinkproof::forward {

struct Weights {
  std::vector<Range> keys;  // of keys 1..i
  Range null;               // of the null slot; (0, 0) where there is none
};

// The weights of a row of keys 1..i = logits.size(); `sink` is the logit of the null slot, if there
// is one. Those of normalised kinds lie in [0, 2^p]. Precondition: logits not empty, lower <= upper
// in each, 32 <= p <= 4096.
Weights weights_of(const certificate::AttentionKind& kind, const std::vector<Range>& logits,
                   const Range& sink, unsigned p);

// The kernels themselves; exp's are of logits less `top`, which none exceeds.
std::vector<Range> kernels_of(const certificate::AttentionKind& kind,
                              const std::vector<Range>& logits, const exact::Integer& top,
                              unsigned p);

}  // namespace sinkproof::forward
