// Of which model a checkpoint certificate speaks: which file, and what it is read as.
// CHECKPOINT_RULES.md, 4.1.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certificate/attention.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

struct ModelReading {
  std::string sha256;  // of the safetensors file
  Attention attention = Attention::kSoftmax;
  std::size_t d_model = 0;
  std::size_t num_heads = 1;
  std::size_t head_width = 0;
  std::size_t num_layers = 1;
  bool residual = false;
  exact::Rational scale = 1;
  std::vector<std::string> overrides;

  [[nodiscard]] const AttentionKind& kind() const { return kind_of(attention); }
};

// Its description (schema.hpp).
class Fields;
void describe(Fields& io, ModelReading& of);

}  // namespace sinkproof::certificate
