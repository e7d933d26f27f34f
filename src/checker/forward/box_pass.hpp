// The forward pass over ALL inputs of the trigger task's box at once, for stacks of any depth, with
// or without residual connections: rows are polynomials in the noise (polynomial.hpp), attention
// weights polynomials where the kernel is one and intervals where it is not. CHECKPOINT_RULES.md,
// 4.19.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "forward/box_layer.hpp"
#include "forward/each.hpp"
#include "forward/model.hpp"

namespace sinkproof::forward {

struct BoxRequest {
  std::size_t length = 0;         // L
  std::size_t first_trigger = 3;  // positions of the trigger, from 1
  std::size_t last_trigger = 3;
  std::size_t degree = 1;      // of the polynomials of the trigger's row, at most kMostDegree
  std::size_t row_degree = 1;  // of all other rows
  // Of which class bounds are asked: those after it are not followed.
  certificate::Rows rows = certificate::Rows::kPost;
  certificate::Box box = {};
};

// What holds at every row of a class for all inputs, in units of 2^-kBoxPrecision.
struct BoxBounds {
  // Rows before the trigger, at it, after it: indices are certificate::Rows.
  static constexpr std::size_t kClasses = 3;

  // |out - target| in any coordinate is at most this; nothing where rows were not followed, 0 where
  // there are none.
  std::array<std::optional<exact::Integer>, kClasses> loss;

  // What a head's rows i >= 2 of a class pay.
  struct Paid {
    Range bos;
    Range null;
  };
  // [layer][head][class]; nothing where there is no such row.
  std::vector<std::vector<std::array<std::optional<Paid>, kClasses>>> paid;

  // The rollout of rows i >= 2 of a class; nothing where there is none (rollout.hpp) or no such
  // row.
  std::array<std::optional<Range>, kClasses> rollout;
};

void include(std::optional<BoxBounds::Paid>& all, const BoxBounds::Paid& one);
// The bounds of some rows, and of others.
void include(BoxBounds& all, const BoxBounds& one);

// Nothing when a number is 2^64 or more in absolute value (2^128 units), or `each`, which shares
// out the positions of the trigger, left one out. Precondition: 3 <= first_trigger <= last_trigger
// <= length, model.width >= 4, 1 <= degrees <= kMostDegree.
std::optional<BoxBounds> box_bounds(const Model& model, const BoxRequest& request,
                                    const ForEach& each = in_turn);

}  // namespace sinkproof::forward
