// A small decoder-only language model as data: GPT-2's blocks (an untied head; no biases but those
// of LayerNorm), with the attention of attention_kind.hpp, the positions of positions.hpp, the
// feed-forward layers of mlp_kind.hpp and the norms of norm_kind.hpp. All weights lie in one buffer
// of floats; `parameters` says what lies where, under the names of Hugging Face's GPT-2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "language_training/attention_kind.hpp"
#include "language_training/mlp_kind.hpp"
#include "language_training/norm_kind.hpp"
#include "language_training/positions.hpp"
#include "language_training/slot_value.hpp"

namespace sinkproof::language_training {

inline constexpr std::size_t kBytes = 256;    // the vocabulary: a token is a byte,
inline constexpr std::size_t kBos = kBytes;   // and with `bos` or `fixed` this one
inline constexpr float kNormEpsilon = 1e-5F;  // LayerNorm's
inline constexpr std::size_t kPadding = 16;   // tensors begin at multiples of as many floats
inline constexpr std::size_t kMostLayers = 16;

struct Decoder {
  AttentionKind kind = kAttentionKinds[0];
  std::size_t width = 128;  // a multiple of 16 and of `heads`
  std::size_t layers = 4;
  std::size_t heads = 4;
  std::size_t length = 64;  // tokens of a sequence
  bool bos = false;         // sequences begin with kBos
  std::size_t fixed = 0;    // the position, from 1, of a token that is always kBos; 0: none
  std::size_t window = 0;   // tokens a row sees, itself included; 0: all up to it
  std::size_t prefix = 0;   // the first so many see each other; none but the last of them is asked
  PositionKind positions = kPositionKinds[0];
  MlpKind mlp = kMlpKinds[0];
  NormKind norm = kNormKinds[0];
  NormPlace norm_place = kNormPlaces[0];
  SlotValue slot_value = {};  // of a slot that does not learn it
  std::size_t slot_dims = 0;  // coordinates of a slot's key that are learned, the others are 0;
                              // 0: all
  double scale = 1;           // of each head's output; softmax's weights then sum to it

  [[nodiscard]] std::size_t vocabulary() const { return kBytes + (bos || fixed != 0 ? 1 : 0); }
  // Of an MLP, as wide as four times the residual stream; with a gate two thirds of that, which is
  // as many parameters, rounded up. `wide` columns lead to them: the gate's before the others.
  [[nodiscard]] std::size_t hidden() const {
    return mlp.gated ? (8 * width / 3 + kPadding - 1) / kPadding * kPadding : 4 * width;
  }
  [[nodiscard]] std::size_t wide() const { return mlp.gated ? 2 * hidden() : hidden(); }
  [[nodiscard]] std::size_t head_width() const {
    return width / heads;  // NOLINT(clang-analyzer-core.DivideZero): no decoder has 0 heads
  }
  // Of what a slot learns: vectors, one for each head or one for all, and floats of a key's.
  [[nodiscard]] std::size_t slot_vectors() const { return kind.shared_slot ? 1 : heads; }
  [[nodiscard]] std::size_t slot_key_width() const {
    return slot_dims == 0 ? head_width() : slot_dims;
  }

  // Rows from `first_asked` predict their next token. Row i sees tokens
  // first_seen(i)..last_seen(i).
  [[nodiscard]] std::size_t first_asked() const { return prefix == 0 ? 0 : prefix - 1; }
  [[nodiscard]] std::size_t last_seen(std::size_t row) const {
    return row + 1 < prefix ? prefix - 1 : row;
  }
  [[nodiscard]] std::size_t first_seen(std::size_t row) const {
    return window == 0 || row < window ? 0 : row + 1 - window;
  }
};

// How a tensor begins: as ones, zeros, or normal of deviation 0.02; of what is added to the
// residual stream 0.02 / sqrt(2 layers), as GPT-2 begins; of kernels sqrt(2 / 5 / rows), as
// arXiv:2410.10781's program has it, so that features of features are not near 0.
enum class Beginning { kOnes, kZeros, kNormal, kNormalResidual, kNormalByRows };

struct Parameter {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::size_t at = 0;  // of the buffer
  Beginning beginning = Beginning::kNormal;

  [[nodiscard]] std::size_t count() const;
  // Matrices decay, vectors do not.
  [[nodiscard]] bool decays() const { return shape.size() > 1; }
};

struct NormLayout {
  std::size_t weight = 0;  // [width]
  std::size_t bias = 0;    // [width]
};
// Where a layer's tensors lie; those its kinds lack lie nowhere (0).
struct LayerLayout {
  NormLayout outer, middle;    // of the layer's input, or where norms come after, of its output;
                               // and between attention and MLP
  std::size_t attention;       // [width][3 width]: queries, keys, values
  std::size_t attention_out;   // [width][width]
  std::size_t mlp_in;          // [width][wide]
  std::size_t mlp_out;         // [hidden][width]
  std::size_t sinks = 0;       // [heads]
  std::size_t slot_key = 0;    // [slot_vectors()][slot_key_width()]
  std::size_t slot_value = 0;  // [slot_vectors()][head width]
  std::size_t value_bias = 0;  // [width]
  std::size_t gate = 0;        // [heads][width]
  std::size_t gate_bias = 0;   // [heads]
  std::size_t kernel_in = 0;   // [head width][head width]
  std::size_t kernel_out = 0;  // [head width][head width]
};
struct Layout {
  std::size_t tokens;         // [vocabulary][width]
  std::size_t positions = 0;  // [length][width]; 0 where the kind of positions lacks it,
  std::size_t relative = 0;   // [kBuckets][heads]; likewise
  std::vector<LayerLayout> layers;
  NormLayout norm;     // before the head; nowhere where norms come after sublayers
  std::size_t head;    // [vocabulary][width]
  std::size_t floats;  // all of it; what no tensor holds is padding, 0
};

Layout layout(const Decoder& decoder);
std::vector<Parameter> parameters(const Decoder& decoder);  // in the buffer's order
std::size_t parameter_count(const Decoder& decoder);        // without padding

}  // namespace sinkproof::language_training
