// Between which numbers the kernels of a row lie, by the flags of query and key, for all noise.
// LAYER_RULES.md section 5.2.
#pragma once

#include <vector>

#include "check/layer.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Range {
  exact::Rational least;
  exact::Rational greatest;
};

// Of the keys of one query flag; and its gate (1 to 1 if there is none).
struct QueryRanges {
  Range bos;
  Range content;
  Range trigger;
  Range null{0, 0};  // the null slot's, where there is one
  Range gate{1, 1};
};

struct HeadRanges {
  QueryRanges content;  // query: a content token
  QueryRanges trigger;  // query: the trigger; `trigger` is its key on itself
  Range first;          // query and key: BOS, row 1
  Range first_gate{1, 1};
};

// One for each head. Throws Rejected unless the certificate's `ranges` prove them.
std::vector<HeadRanges> read_ranges(const json::Value& certificate, const Layer& layer);

}  // namespace sinkproof::check
