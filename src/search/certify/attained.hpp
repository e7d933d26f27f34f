// What a witness attains, exactly enclosed: the other side of every certified bound. By the forward
// pass the checker makes, so that it comes to the same numbers.
#pragma once

#include <optional>

#include "certify/row_problem.hpp"
#include "certify/witness.hpp"
#include "exact/exp_enclosure.hpp"
#include "forward/pass.hpp"

namespace sinkproof::certify {

// sign * (out_r - target_r) at the witness; the target has the row's own token in it where the
// model is residual. Nothing where a number is too large for the pass.
std::optional<exact::Enclosure> attained_loss(const forward::Prepared& model,
                                              const Witness& witness);

// What the witness's row pays to the slot in one head of a layer (both from 0).
std::optional<exact::Enclosure> attained_attention(const forward::Prepared& model,
                                                   const Witness& witness, Slot slot,
                                                   std::size_t head, std::size_t layer = 0);

// The rollout's entry for BOS at the witness's row. Precondition: forward::has_rollout.
std::optional<exact::Enclosure> attained_rollout(const forward::Prepared& model,
                                                 const Witness& witness);

}  // namespace sinkproof::certify
