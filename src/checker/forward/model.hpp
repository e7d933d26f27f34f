// An attention model as a list of blocks of exact numbers, read from a safetensors file by the
// trusted base itself. CHECKPOINT_RULES.md, 4.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "certificate/model_reading.hpp"
#include "exact/matrix.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::forward {

// x -> W x + b: weight [out, in], bias [out].
struct Affine {
  exact::RationalMatrix weight;
  std::vector<exact::Rational> bias;
};

// Heads side by side along the out dimension of query, key and value, and along the in dimension
// of output; all of one width.
struct AttentionBlock {
  certificate::AttentionKind kind;
  std::size_t heads = 1;
  exact::Rational scale = 1;  // of logits
  bool residual = false;      // the block's input is added to its output
  Affine query, key, value, output;
  Affine gate;                         // [heads, n] where the kind is gated, else empty
  std::vector<exact::Rational> sinks;  // [heads], logits of null slots; empty where these are 0

  [[nodiscard]] std::size_t head_width() const { return query.weight.rows() / heads; }
};

struct Model {
  std::size_t width = 0;  // n: of the rows between blocks
  std::vector<AttentionBlock> blocks;
};

// The model in a file as the certificate reads it: exactly these tensors, of these shapes, and
// metadata that says nothing else but what `overrides` admits. Throws Rejected.
Model read_model(const safetensors::Contents& contents, const certificate::ModelReading& reading);

}  // namespace sinkproof::forward
