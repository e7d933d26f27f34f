// The attention matrices of one exact input, in double precision: a picture's numbers, estimates
// that prove nothing. (What is proved about them stands in the bounds.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "exact/error.hpp"
#include "model/attention_model.hpp"
#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {

// One layer's logits in doubles: for each head M = W_Q^T W_K with the biases folded in
// (model/folded_layer.hpp), row-major [d_model][d_model]; the logit of query x on key y is x^T M y.
struct Layer {
  model::Attention attention = model::Attention::kSoftmax;
  std::size_t d_model = 0;
  std::vector<std::vector<double>> logits;
};

// The layer of the checkpoint file. The file's own errors (SP02xx, SP04xx, SP11xx); SP1203: it is
// not the one-layer model with the SHA-256 and the sizes of the certificate.
exact::Result<Layer> load_layer(const std::filesystem::path& path, const Checkpoint& certificate);

struct AttentionRow {
  std::vector<double> weights;  // on the keys 1 .. row
  std::optional<double> null;   // softmax-null: the slot's share
};

// Attention of head `head` (from 0) at position `row` (from 1), as CHECKPOINT_RULES.md, 4.2,
// defines it. Normalised kinds are computed from the kernels' logarithms, so that no logit is too
// large or too small for a weight. Precondition: 1 <= row <= tokens.size().
AttentionRow attention_row(const Layer& layer, std::size_t head,
                           const std::vector<std::vector<double>>& tokens, std::size_t row);

// Above this length a map shows only the positions around the witness's row.
inline constexpr std::size_t kWholeMap = 128;

// Part of an attention matrix: weights[r][c] is the weight of position positions[r] on position
// positions[c], c <= r (positions increase).
struct AttentionMap {
  std::size_t length = 0;   // of the input
  std::size_t trigger = 0;  // its position
  std::size_t row = 0;      // the witness's row
  std::vector<std::size_t> positions;
  std::vector<std::vector<double>> weights;
  std::vector<double> null;  // softmax-null: the slot's share in each row; else empty

  [[nodiscard]] bool whole() const { return positions.size() == length; }
};

// All positions up to length kWholeMap, else BOS, the trigger, and 16 to either side of the row.
std::vector<std::size_t> shown_positions(std::size_t length, std::size_t trigger, std::size_t row);

// SP1204: a weight is not a finite double.
exact::Result<AttentionMap> attention_map(const Layer& layer, std::size_t head,
                                          const Witness& witness);

}  // namespace sinkproof::report
