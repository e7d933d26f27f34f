// Looks for the worst input of one class of rows: many short searches for every coordinate and side
// (row_ascent.hpp), more where the loss is large; then single flips of all keys, and a projected
// gradient for what is best inside. Finds lower bounds only; attained.hpp makes them exact.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "certify/row_problem.hpp"
#include "certify/witness.hpp"

namespace sinkproof::certify {

struct AttackResult {
  double value = 0;  // estimate: of the loss, or what RowProblem::aim_at_attention says
  Witness witness;
};

struct AttackEffort {
  std::uint64_t seed = 0;
  std::size_t restarts = 60;  // of each coordinate and side at first
  std::size_t steps = 50;
  // After it what was found is only made a witness of.
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;

  [[nodiscard]] bool is_over() const {
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

AttackResult attack_loss(const Layer& layer, RowClass rows, const AttackEffort& effort);

// The attention of one head on a slot over rows i >= 2 of the class: its least (or greatest) value.
struct AttentionGoal {
  Slot slot = Slot::kBos;
  std::size_t head = 0;
  bool greatest = false;
};
AttackResult attack_attention(const Layer& layer, RowClass rows, const AttentionGoal& goal,
                              const AttackEffort& effort);

}  // namespace sinkproof::certify
