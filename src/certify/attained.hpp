// What a witness attains, exactly enclosed: the other side of every certified bound.
#pragma once

#include "certify/attack.hpp"
#include "exact/interval.hpp"

namespace sinkproof::certify {

// sign * (out_r - target_r) at the witness.
exact::Interval attained_loss(const Layer& layer, const Witness& witness);

// What the witness's row pays to the slot in one head.
exact::Interval attained_attention(const Layer& layer, const Witness& witness, Slot slot,
                                   std::size_t head);

}  // namespace sinkproof::certify
