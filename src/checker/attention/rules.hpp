// The rules of bounds over a box, one file each (CHECKPOINT_RULES.md, 4.10 to 4.15). A rule names
// its obligations to the proof one after the other. It returns if and only if the bound is proved
// for all inputs; otherwise it throws Rejected. Which rule is for which property:
// certificate/checkpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attention/layer.hpp"
#include "attention/obligations.hpp"

namespace sinkproof::check {

using certificate::Bound;
void require_bound(const Layer& layer, const Bound& bound, const certificate::ByLayerAttention& by);
void require_bound(const Layer& layer, const Bound& bound, const certificate::ByLayerRow& by);
void require_bound(const Layer& layer, const Bound& bound, const certificate::ByRow& by);
void require_bound(const Layer& layer, const Bound& bound, const certificate::BySoftmaxFloor& by);
void require_bound(const Layer& layer, const Bound& bound, const certificate::BySeparableRow& by);

// What the layer's ranges say without any search: the least bound that the rules accept. Each
// throws Rejected where a row may have no weight at all. On the attention that the heads of `asked`
// pay: a lower one of floors, else an upper one. 4.10
exact::Rational layer_attention_bound(const Layer& layer, const certificate::Bound& asked);
// On the loss of a class of rows. 4.11
exact::Rational layer_row_bound(const Layer& layer, Rows rows);
// On the loss of row 1: the end of 4.11.
exact::Rational first_row_bound(const Layer& layer);

// The logits of a head's keys less that of BOS, or of the null slot, as functions of the query's
// noise, in the longest row of a class, and how many keys of each there are. 4.13
struct KeyForms {
  std::vector<std::size_t> counts;
  std::vector<SignForm> forms;
};
KeyForms softmax_floor_forms(const Layer& layer, std::size_t head, Rows rows, bool from_bos);

// Calls visit(h) for every head a floor or ceiling is about.
template <typename Visit>
void for_each_head(const Layer& layer, const certificate::Bound& bound, const Visit& visit) {
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    if (!bound.head || *bound.head == h) visit(h);
  }
}

}  // namespace sinkproof::check
