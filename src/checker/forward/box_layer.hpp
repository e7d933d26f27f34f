// One layer of a stack over the whole box, as a class of rows sees it: its keys are of a few kinds,
// their logits, gates and weights polynomials. CHECKPOINT_RULES.md, 4.19.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "forward/model.hpp"
#include "forward/polynomial.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {

inline constexpr unsigned kBoxPrecision = 64;

// What the rows of a class see beside BOS and themselves: a class of keys, each of them `row` in
// its own noise, and in that of `others` further keys the row does not know.
struct Keys {
  Polynomials row;  // as_key
  std::size_t others = 0;
};

// The rows of a class, all of one polynomial, and what they see.
struct View {
  const Polynomials* row;
  const Polynomials* bos;  // none: the row is BOS
  std::vector<Keys> classes;
  std::size_t kept;    // the row's others are so many keys of the one class; 0: it has none
  std::size_t degree;  // of its polynomials
  certificate::Rows rows;
  std::uint32_t letter;  // the first that stands for a logit here
  // Of the last layer: the keys' letters become those of the first kind's by so many times
  // the kind's number, and each class one key. 0: they go into the remainder.
  std::uint32_t apart;

  // How many keys the others of the layer's output may be.
  [[nodiscard]] std::size_t kept_after() const { return apart != 0 ? 1 : kept; }
};

// How many letters a head has for logits: for the kinds of keys (BOS, three classes, the row
// itself), then for its gate.
inline constexpr std::uint32_t kLettersAHead = 6;

// How many keys of each class a row sees.
using Counts = std::vector<std::size_t>;

class BoxLayer {
 public:
  explicit BoxLayer(const AttentionBlock& block);

  // What the layer puts out at a row; `told` is called with each head's weights.
  using Told = std::function<void(std::size_t head, const Weights&)>;
  using Output = std::function<Polynomials(const Counts& counts, const Told& told)>;
  // The layer, and what `view` points to, must outlive it.
  [[nodiscard]] Output seen(const View& view) const;

  // Of a head, in token coordinates.
  struct Maps {
    exact::ScaledMatrix query;  // of a row, what the inner product with (x_k, 1) makes k's logit
    exact::ScaledMatrix value;
    exact::ScaledMatrix gate;  // or empty
  };

  [[nodiscard]] const std::vector<Maps>& maps() const { return heads_; }

 private:
  const AttentionBlock& block_;
  std::vector<Maps> heads_;
};

}  // namespace sinkproof::forward
