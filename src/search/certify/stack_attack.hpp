// Looks for the worst input of one class of rows of a stack of any depth, any number of heads, with
// or without residual connections. Sign-gradient ascent over the vertices of the box: a few steps
// for every coordinate and sign at some rows, many for the most promising, then single flips, and
// other rows from what was found. Finds lower bounds only; attained.hpp makes them exact.
#pragma once

#include "certify/attack.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

// Precondition of all: for kPost, triggers.first < L. The same result for the same seed.
AttackResult attack_stack_loss(const model::AttentionModel& model, RowClass rows,
                               const TriggerRange& triggers, const AttackEffort& effort);

// What one head of one layer (both from 0) pays to a slot over rows i >= 2 of the class: its least
// (or greatest) value, before any gate. Precondition for kNull: the kind has the slot.
struct StackAttentionGoal {
  Slot slot = Slot::kBos;
  std::size_t layer = 0;
  std::size_t head = 0;
  bool greatest = false;
};
// The result's value is an estimate of the weight itself.
AttackResult attack_stack_attention(const model::AttentionModel& model, RowClass rows,
                                    const TriggerRange& triggers, const StackAttentionGoal& goal,
                                    const AttackEffort& effort);

// The least (or greatest) entry for BOS of the rollout at rows i >= 2 of the class; the result's
// value is an estimate of it. Precondition: one averaging head a layer, no residual connections.
AttackResult attack_stack_rollout(const model::AttentionModel& model, RowClass rows,
                                  const TriggerRange& triggers, bool greatest,
                                  const AttackEffort& effort);

}  // namespace sinkproof::certify
