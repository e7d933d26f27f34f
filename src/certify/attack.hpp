// Looks for the worst input of one class of rows: sign-gradient ascent over the vertices of the box
// from many starts, then single flips, then a projected gradient for what is best inside. Finds
// lower bounds only; attained.hpp makes them exact.
#pragma once

#include <cstdint>
#include <functional>

#include "certify/row_problem.hpp"
#include "certify/witness.hpp"

namespace sinkproof::certify {

struct AttackResult {
  double value = 0;  // estimate: of the loss, or what RowProblem::aim_at_attention says
  Witness witness;
};

struct AttackEffort {
  std::uint64_t seed = 0;
  std::size_t restarts = 60;
  std::size_t steps = 50;
};

// Where else to start from: noise vectors of the query, for a coordinate and a side.
using QueryStarts =
    std::function<std::vector<std::vector<double>>(std::size_t coordinate, int sign)>;

AttackResult attack_loss(const Layer& layer, RowClass rows, const AttackEffort& effort,
                         const QueryStarts& starts = nullptr);

// What one head pays to a slot over rows i >= 2 of the class: its least (or greatest) value.
struct AttentionGoal {
  Slot slot = Slot::kBos;
  std::size_t head = 0;
  bool greatest = false;
};
AttackResult attack_attention(const Layer& layer, RowClass rows, const AttentionGoal& goal,
                              const AttackEffort& effort);

// The input at which the BOS attention of a ReLU row is largest: a vertex, known in closed form.
Witness relu_bos_ceiling_witness(const Head& head, RowClass rows);

}  // namespace sinkproof::certify
