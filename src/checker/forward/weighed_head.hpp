// A head whose weights are kernels over the number of other keys, at one row, over the whole box:
// kernels are affine within an error. MOMENT_KERNELS.md.
#pragma once

#include "certificate/attention.hpp"
#include "forward/tilted_head.hpp"

namespace sinkproof::forward {

struct WeighedHead {
  Series output;
  Range bos;  // BOS's weight, in units of 2^-64
};

// As `tilted`; `bos` null: the row is BOS, which sees itself alone. Precondition: the kind is not
// normalised and has no gate.
WeighedHead weighed(const certificate::AttentionKind& kind, const FixedHead& head,
                    const Series& row, const Series* bos, const SeenKeys& seen,
                    const Series* trigger, const KeyLetters& letters, std::size_t degree,
                    const Alphabet& alphabet);

// part / whole of it.
Series part_of(const Series& x, std::size_t part, std::size_t whole);
// A map's weights alone.
FixedMap without_bias(const FixedMap& map);

}  // namespace sinkproof::forward
