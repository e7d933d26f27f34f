// The forward pass (forward/body.hpp) of a stack of attention layers with every head, bias, gate
// and residual connection on given tokens, in whole numbers with outward rounding.
// CHECKPOINT_RULES.md, 4.6. Witnesses, samples, given inputs and the sink share all come from here;
// the precision is the caller's choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "exact/exp_enclosure.hpp"
#include "forward/ball.hpp"
#include "forward/model.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {

// Bits after the binary point that are tried, one after the other.
inline constexpr unsigned kPrecisions[] = {64, 128, 256, 512, 1024, 2048};

// A model in whole numbers, for any number of passes.
class Prepared {
 public:
  explicit Prepared(const Model& model);

  struct Maps {
    WholeMap query, key, value, output;
    std::optional<WholeMap> gate;
  };
  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const std::vector<Maps>& maps() const { return maps_; }

 private:
  const Model* model_;
  std::vector<Maps> maps_;
};

// The logit of a head's null slot; 0 where there is none or the file has no sinks.
Range sink_logit(const AttentionBlock& block, std::size_t head, unsigned p);

// Told the weights of each row there is, layer and head from 0, row from 1.
using RowObserver =
    std::function<void(std::size_t layer, std::size_t head, std::size_t row, const Weights&)>;

// Told each layer's inputs, layer from 0, and what the last layer puts out (layer = their number).
using InputObserver = std::function<void(std::size_t layer, const Balls& inputs)>;

// The last layer's rows: those from `first_row` on (from 1) are computed, the others are 0. Nothing
// when a number of the pass is 2^p or more in absolute value (2^(2p) in units of 2^-p): another
// precision may do. Precondition: tokens.columns() = width, 1 <= first_row <= tokens.rows().
std::optional<Balls> pass(const Prepared& prepared, const exact::RationalMatrix& tokens,
                          std::size_t first_row, unsigned p, const RowObserver& observer = {},
                          const InputObserver& inputs = {});

// Entry (row, coordinate) as rationals; row from 1, coordinate from 0.
exact::Enclosure entry(const Balls& rows, std::size_t row, std::size_t coordinate, unsigned p);

}  // namespace sinkproof::forward
