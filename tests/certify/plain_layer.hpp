// The layer of a drawn checkpoint as docs/THEORY.md section 0 and PyTorch would run it, tensor by
// tensor, in doubles or tracked long doubles; and an attack on its rows. Independent of src/: what
// certify says is held against this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "random_checkpoint.hpp"
#include "tracked.hpp"

namespace sinkproof::test {

using Token = std::vector<double>;

enum class RowKind { kPre, kTrigger, kPost };

// The tokens of a sequence up to the row, and which position holds the trigger.
struct RowInput {
  std::vector<Token> tokens;  // position 1 first; the last one is the query
  std::size_t trigger = 0;
};

template <typename T>
struct PlainRow {
  std::vector<T> out;   // less the target
  std::vector<T> bos;   // one a head
  std::vector<T> null;  // one a head where there is such a slot
};

// T: double or Tracked.
template <typename T>
PlainRow<T> plain_row(const RandomCheckpoint& checkpoint, const RowInput& input);

// The most extreme rows that were found, rounding on the safe side: there is a row with a loss of
// at least `loss`, one with a BOS attention of at most `least_bos`, and so on.
struct Found {
  long double loss = 0;
  long double least_bos = HUGE_VALL;
  long double most_bos = -HUGE_VALL;
  long double least_null = HUGE_VALL;
  long double most_null = -HUGE_VALL;

  void include(const PlainRow<Tracked>& row, bool first_position);
};

// By class of rows. Vertices of the box and inner points drawn from `seed` and improved by flips of
// single signs; `starts` are tried as well. Rows of kPost only from length 4 on.
std::map<RowKind, Found> attack(const RandomCheckpoint& checkpoint, std::uint64_t seed,
                                const std::vector<RowInput>& starts);

RowKind kind_of(const RowInput& input);

// A number that no |logit| of the layer is above, nor one of a gate.
long double logit_reach(const RandomCheckpoint& checkpoint);

// A number that no |output| or |logit| of the layer is above.
long double output_reach(const RandomCheckpoint& checkpoint);

}  // namespace sinkproof::test
