// Between which numbers the kernels of a row lie, by the flags of query and key, for all noise: the
// search's side of CHECKPOINT_RULES.md, 4.9. Logit ranges are maxima of sign forms
// (sign_form.hpp).
#pragma once

#include <string>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certify/layer.hpp"
#include "certify/proof.hpp"

namespace sinkproof::certify {

struct Range {
  exact::Rational least;
  exact::Rational greatest;
};

// The kernels of one class of keys, and the logits from which they follow.
struct ClassRange : Range {
  Range logits;
};

// Of the keys of one query flag; and its gate (1 to 1 if there is none).
struct QueryRanges {
  ByKey<ClassRange> keys;  // kernels of a null slot that is not there: 0 to 0
  Range gate{1, 1};
};

struct HeadRanges {
  QueryRanges content;  // query: a content token
  QueryRanges trigger;  // query: the trigger; of kTriggerKey its logit on itself
  Range first;          // query and key: BOS, row 1
  Range first_gate{1, 1};
};

struct LayerRanges {
  std::vector<HeadRanges> heads;
  certificate::Ranges stated;  // the same as the certificate has them, with their proof
};

// Tells them apart from others of the same layer.
std::string digest(const Layer& layer, const LayerRanges& ranges);

// SP1403 where a logit is beyond what the checker's exp takes, in a rule or for a witness.
exact::Result<LayerRanges> find_ranges(const Layer& layer, const Effort& effort);

}  // namespace sinkproof::certify
