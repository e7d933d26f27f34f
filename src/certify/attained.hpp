// What a witness attains, exactly enclosed: the other side of every certified bound.
#pragma once

#include "certify/attack.hpp"
#include "exact/interval.hpp"

namespace sinkproof::certify {

// |out_r - target_r| at the witness's row and coordinate, non-negative side of the witness's sign.
exact::Interval attained_loss(const Head& head, model::Attention attention, const Witness& witness);

// BOS attention of the witness's row.
exact::Interval attained_bos_attention(const Head& head, model::Attention attention,
                                       const Witness& witness);

}  // namespace sinkproof::certify
