// The forward pass over ALL inputs of the trigger task's box at once, for stacks of any depth, with
// or without residual connections: rows are polynomials in the noise (polynomial.hpp), attention
// weights polynomials where the kernel is one and intervals where it is not. CHECKPOINT_RULES.md,
// 4.19.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "certificate/work.hpp"
#include "forward/model.hpp"
#include "forward/polynomial.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {

struct BoxRequest {
  std::size_t length = 0;         // L
  std::size_t first_trigger = 3;  // positions of the trigger, from 1
  std::size_t last_trigger = 3;
  std::size_t degree = 1;      // of the polynomials of the trigger's row
  std::size_t row_degree = 1;  // of all other rows
};

inline constexpr unsigned kBoxPrecision = 64;

// What the pass tells of one row, in units of 2^-kBoxPrecision. Position and trigger count from 1;
// trigger 0: the row comes before any trigger.
struct BoxObserver {
  // The weights of a layer and head (from 0) on BOS and on the null slot.
  std::function<void(std::size_t layer, std::size_t head, std::size_t row, std::size_t trigger,
                     const Range& bos, const Range& null)>
      weights;
  // How far out - target may be from 0 in any coordinate.
  std::function<void(std::size_t row, std::size_t trigger, const exact::Integer& loss)> loss;
};

// Goes through all rows of all trigger positions asked for. False when a number is too large (2^p or
// more). Precondition: 3 <= first_trigger <= last_trigger <= length, model.width >= 4.
bool box_pass(const Model& model, const BoxRequest& request, const BoxObserver& observer);

}  // namespace sinkproof::forward
