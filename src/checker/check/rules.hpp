// The rules of bounds over a box, one file each (CHECKPOINT_RULES.md, 4.10 to 4.15). A rule names
// its obligations to the proof one after the other. It returns if and only if the bound is proved
// for all inputs; otherwise it throws Rejected. Which rule is for which property:
// certificate/checkpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/layer.hpp"
#include "check/obligations.hpp"

namespace sinkproof::check {

void rule_layer_attention(const Layer& layer, const certificate::Bound& bound);
void rule_layer_row(const Layer& layer, const certificate::Bound& bound);
void rule_row(const Layer& layer, const certificate::Bound& bound, const certificate::ByRow& by,
              Obligations& proof);
void rule_softmax_floor(const Layer& layer, const certificate::Bound& bound, Obligations& proof);
void rule_separable_row(const Layer& layer, const certificate::Bound& bound,
                        const certificate::BySeparableRow& by, Obligations& proof);

// The loss of row 1 is at most `upper`: the end of 4.11.
void require_first_row(const Layer& layer, const exact::Rational& upper);

// The certificate's `ranges` hold for this layer. CHECKPOINT_RULES.md, 4.9.
void require_ranges(const Layer& layer, const std::vector<certificate::HeadRanges>& ranges,
                    Obligations& proof);

// Calls visit(h) for every head a floor or ceiling speaks of.
template <typename Visit>
void for_each_head(const Layer& layer, const certificate::Bound& bound, const Visit& visit) {
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    if (!bound.head || *bound.head == h) visit(h);
  }
}

}  // namespace sinkproof::check
