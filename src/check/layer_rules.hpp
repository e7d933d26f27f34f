// The two rules of layer certificates and what their witnesses attain. A rule returns if and only
// if the bound is proved, for all heads and all inputs; otherwise it throws Rejected.
// LAYER_RULES.md sections 5.3 to 5.7.
#pragma once

#include "check/ranges.hpp"
#include "check/witness.hpp"

namespace sinkproof::check {

// Of which key: BOS, or the null slot.
enum class Slot { kBos, kNull };

void rule_layer_row(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                    const exact::Rational& upper);
void rule_layer_floor(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                      Slot slot, const exact::Rational& lower);
void rule_layer_ceiling(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                        Slot slot, const exact::Rational& upper);

// A number <= sign * (out_r - target_r) at the witness.
exact::Rational layer_loss_down(const Layer& layer, const Witness& witness);
// The least over heads of a number >= the attention that the witness's row pays to the slot; the
// greatest over heads of a number <= it.
exact::Rational layer_attention_up(const Layer& layer, const Witness& witness, Slot slot);
exact::Rational layer_attention_down(const Layer& layer, const Witness& witness, Slot slot);

// Numbers of content keys a row of the class can have: from `least` to `most`. LAYER_RULES.md 5.5.
struct ContentKeys {
  std::size_t least;
  std::size_t most;
};
ContentKeys content_keys(const Layer& layer, Rows rows);

}  // namespace sinkproof::check
