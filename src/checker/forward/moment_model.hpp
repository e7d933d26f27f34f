// What all rows of a stack share in the pass by means and covariances: maps in fixed point, BOS,
// tokens and the numbers of letters. MOMENT_RULES.md.
#pragma once

#include <vector>

#include "certificate/box.hpp"
#include "forward/box_layer.hpp"
#include "forward/model.hpp"
#include "forward/tilted_head.hpp"
#include "forward/weighed_head.hpp"

namespace sinkproof::forward {

// A head whose share of keys is at most this gives them no letters.
inline constexpr Word kSmallShare = kOne >> 7U;

struct MomentModel {
  // Letters 1, 2, .. are the row's own noise. `fresh`: one for each layer, head and coordinate.
  // `own`: those of a content row beside its noise. `trigger`: of the trigger's row as a key, one
  // for each layer and coordinate.
  struct Letters {
    Alphabet alphabet;
    KeyLetters keys{};
    Letter fresh = 0;
    Letter own = 0;
    Letter trigger = 0;
  };
  struct Layer {
    std::vector<FixedHead> heads;
    Series bias;
    bool residual = false;
    Series bos;  // at its entrance

    // The bias and, with residual connections, the row.
    [[nodiscard]] Series begin(const Series& row) const { return residual ? sum(bias, row) : bias; }
  };

  certificate::AttentionKind kind;
  std::size_t width = 0;
  std::size_t noise = 0;
  Letters letters;
  std::vector<Layer> layers;
  Series bos_after;     // the last layer
  ContentKeys content;  // tokens, in their noise
  ContentKeys first_trigger;

  // Throws TooCoarse.
  MomentModel(const Model& model, const certificate::Box& box);
};

// A token in the noise with letters `first`, ..
Series token(const ContentKeys& keys, Letter first);
// What is zero but for the constants.
Series constant_part(const Series& x);

}  // namespace sinkproof::forward
