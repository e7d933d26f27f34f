// Many local searches for the worst input of a row at once, one in each lane of a vector (Highway,
// the best instruction set the processor has): sign-gradient ascent, then flips of one coordinate
// at a time until none gains. What comes out is a start for RowProblem. Doubles: in floats a small
// loss is lost in the rounding of the mean it is the distance from.
//
// Why it is fast. (1) Content keys may change places. For a given query and given normalisers the
// loss is linear in how many keys there are of each noise, under one equation for each head's
// normaliser and one for their number: but for fractions, heads + 1 distinct keys are enough for a
// row of any length. How many there are of each is a variable as well, so one search sees all rows
// of the class. (2) A flip changes every logit and value by something known: it costs the kernels
// of the row, no products.
//
// The same bits on every instruction set: lanes never meet, no sum is fused or reordered, exp and
// log are our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "certify/layer.hpp"
#include "certify/row_class.hpp"
#include "certify/row_problem.hpp"

namespace sinkproof::certify {

// The rows i >= 2 of the class, in a sequence of that length: first <= last unless there are none.
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;
};
RowRange rows_of(RowClass rows, std::size_t length);

// One search: what it pushes up, sign * (out_r - target_r), and where it starts.
struct RowStart {
  std::size_t coordinate = 0;
  int sign = 1;
  std::size_t row = 0;  // of the class
  // Names its random numbers. Its last three bits, where 0: logits are climbed first; the way goes
  // from vertex to vertex, not by shorter and shorter steps; all content keys start alike.
  std::uint64_t stream = 0;
};

struct RowPeak {
  double value = 0;
  std::size_t row = 0;
  std::vector<double> noise;  // (row - 1) d: tokens 2 to `row`, the query's last
};

// What the kernels read of the layer; n is padded to `stride`, coordinate 0 is BOS's flag.
struct RowOperators {
  static constexpr std::size_t kTile = 8;  // of which `stride` is a multiple
  certificate::AttentionKind kind;
  bool loss = true;
  Slot slot = Slot::kBos;
  bool trigger_row = false;  // the query is the trigger
  bool trigger_key = false;  // a key is
  std::size_t n = 0, stride = 0, heads = 0;
  std::size_t types = 0;                            // distinct content keys
  std::size_t least_content = 0, most_content = 0;  // how many content keys a row has
  std::uint64_t seed = 0;
  std::vector<double> logit;             // [head][query n][key stride]
  std::vector<double> logit_transposed;  // [head][key n][query stride]
  std::vector<double> value;             // [head][output n][n]
  std::vector<double> gate_weight;       // [head][n]; zero if not gated
  std::vector<double> gate_bias;         // [head]
  std::vector<double> constant;          // [n]
  std::vector<double> token;             // X, [n][n]
};

class RowAscent {
 public:
  // The loss of a row of the class.
  RowAscent(const Layer& layer, RowClass rows, std::uint64_t seed);
  // The attention of one head on a slot, its log-odds; starts' coordinates are ignored, sign -1
  // pushes down. Precondition: a normalised kind, with the slot.
  RowAscent(const Layer& layer, RowClass rows, Slot slot, std::size_t head, std::uint64_t seed);

  // The highest peak of each run of so many starts (the first of equal ones); a search comes to the
  // same whatever stands beside it. Precondition: starts are whole runs, at least one.
  [[nodiscard]] std::vector<RowPeak> climb(std::span<const RowStart> starts, std::size_t run,
                                           std::size_t steps) const;

  // The first step's noise, and there the gradient by each token's noise: what climb goes by.
  struct Slope {
    RowPeak at;
    std::vector<double> gradient;  // of the size of at.noise
  };
  [[nodiscard]] Slope slope(const RowStart& start) const;

 private:
  RowOperators operators_;
};

}  // namespace sinkproof::certify
