// What a witness attains, exactly enclosed: the other side of every certified bound.
#pragma once

#include <optional>

#include "certify/attack.hpp"
#include "exact/interval.hpp"

namespace sinkproof::certify {

// sign * (out_r - target_r) at the witness. Nothing where the checker cannot evaluate it: a logit
// of the row lies more than 4096 above BOS's (softmax kinds), where its exp ends.
std::optional<exact::Interval> attained_loss(const Layer& layer, const Witness& witness);

// What the witness's row pays to the slot in one head; above where the checker's exp ends, what BOS
// gets there is overestimated.
exact::Interval attained_attention(const Layer& layer, const Witness& witness, Slot slot,
                                   std::size_t head);

}  // namespace sinkproof::certify
