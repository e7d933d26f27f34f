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

using Rule = void(const Layer& layer, const certificate::Bound& bound, Obligations& proof);
Rule rule_layer_attention, rule_layer_row, rule_row, rule_softmax_floor, rule_separable_row;

// The loss of row 1 is at most `upper`: the end of 4.11.
void require_first_row(const Layer& layer, const exact::Rational& upper);

// The certificate's `ranges` hold for this layer. CHECKPOINT_RULES.md, 4.9.
void require_ranges(const Layer& layer, const std::vector<certificate::HeadRanges>& ranges,
                    Obligations& proof);

// Positive rationals, or none where null may stand.
using Positives = std::vector<std::optional<exact::Rational>>;

// How many of them an entry of the list "for each side" has.
struct Entries {
  std::size_t least;
  std::size_t most;
  bool may_be_null = false;
};
std::vector<Positives> for_sides(const json::Value& parameters, const std::string& name,
                                 const Head& head, const Entries& entries);

// Calls visit(h) for every head a floor or ceiling speaks of.
template <typename Visit>
void for_each_head(const Layer& layer, const certificate::Bound& bound, const Visit& visit) {
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    if (!bound.head || *bound.head == h) visit(h);
  }
}

}  // namespace sinkproof::check
