// A model on its way into a checkpoint: each head as the product W_Q^T W_K of its scores and the
// product W_O W_V of its values, in doubles.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "certificate/attention.hpp"
#include "exact/error.hpp"
#include "exact/matrix.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::prove {

inline constexpr std::size_t kMinExportWidth = 4;
inline constexpr std::size_t kMaxExportWidth = 512;

// Where the flags of a token stand among its n coordinates, in the order of certificate::Flag.
constexpr std::array<std::size_t, 3> flag_coordinates(std::size_t n) { return {0, 1, n - 1}; }

struct ExportedHead {
  exact::Matrix<double> scores;  // [n, n]: query x_i and key x_k score x_i^T scores x_k
  exact::Matrix<double> values;  // [n, n]
  std::vector<double> gate;      // [n], softmax-gated only: the logit of the gate is gate . x_i
};

struct ExportedModel {
  certificate::Attention attention = certificate::Attention::kSoftmax;
  std::size_t d_model = 0;
  std::size_t length = 0;
  bool residual = false;
  std::vector<std::vector<ExportedHead>> layers;  // at least one, all of as many heads
  std::optional<exact::Rational> sup_loss;        // before rounding, where it is known
  std::string sha256;                             // of the file it was read from
};

// Tensors, all F64, nn.Linear layout [out, in], head h in rows (W_O: columns) h n to h n + n - 1:
// W_Q.weight [H n, n] identities; W_K.weight [H n, n] the scores; W_V.weight [H n, n] the values;
// W_O.weight [n, H n] identities; for softmax-gated W_G.weight [H, n] and W_G.bias [H] (zero). Of
// several layers the names begin with layers.{l}. Metadata: attention, d_model, num_heads,
// num_layers, seq_len, residual and construction, the SHA-256.
// SP0717: a number is beyond the doubles.
exact::Result<safetensors::Contents> checkpoint_of(const ExportedModel& model,
                                                   const std::string& where);

}  // namespace sinkproof::prove
