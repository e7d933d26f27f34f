// A construction as a checkpoint: a one-layer model whose scores are the doubles nearest to the
// construction's, so that whatever reads checkpoints can be held against its exact figures. The
// figures are those of the exact scores; rounding moves the checkpoint's by about 1e-16 times the
// scores.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "certificate/construction.hpp"
#include "exact/error.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::prove {

inline constexpr std::size_t kMinExportWidth = 4;
inline constexpr std::size_t kMaxExportWidth = 512;

struct ConstructionExport {
  certificate::Construction construction;
  std::string sha256;  // of the file it was read from
  safetensors::Contents checkpoint;
};

// The construction in `text`, the bytes of a NAME.construction.json, with n = d_model coordinates.
// Tensors, all F64, nn.Linear layout [out, in], head h in rows (W_O: columns) h n to h n + n - 1:
// W_Q.weight [H n, n] identities; W_K.weight [H n, n] = M_h, x_i^T M_h x_k the score of query x_i
// and key x_k; W_V.weight [H n, n] the value maps; W_O.weight [n, H n] identities; for
// softmax-gated W_G.weight [H, n] and W_G.bias [H] (zero), gate h of x_i = sigmoid of (W_G x_i +
// b)_h. Scores: ln k for the softmax kinds, ln(k/(1-k)) for the sigmoid kinds, ln k (k <= 1) or
// k - 1 (k > 1) for the elu1 kinds, k itself for relu and linear. Metadata: attention, d_model,
// num_heads, num_layers, seq_len, residual and construction, the SHA-256 of `text`.
// SP0301, SP0503, SP0101: `text` is no construction. SP0716: a figure is wrong, so it is not
// exported. SP0717: a number is beyond the doubles. Precondition: kMinExportWidth <= d_model <=
// kMaxExportWidth.
exact::Result<ConstructionExport> export_construction(std::string_view text, std::size_t d_model,
                                                      const std::string& where);

}  // namespace sinkproof::prove
