// The attention matrix of one exact input, in double precision: a picture's numbers, estimates that
// prove nothing. (What is proved about them stands in the bounds.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "exact/error.hpp"
#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {

// One head in doubles, row-major [d_model][d_model] as PyTorch stores W_Q and W_K.
struct Head {
  bool softmax = true;
  std::size_t d_model = 0;
  std::vector<double> query;
  std::vector<double> key;
};

// The head of the checkpoint file. The file's own errors (SP02xx, SP04xx, SP11xx); SP1203: it is
// not the one-layer, one-head model with the SHA-256 and the sizes of the certificate.
exact::Result<Head> load_head(const std::filesystem::path& path, const Checkpoint& certificate);

// Attention of position `row` (from 1) on the keys 1 .. row: softmax of the logits with the largest
// subtracted, or relu(logit) / max(1, row - 1). Precondition: 1 <= row <= tokens.size().
std::vector<double> attention_row(const Head& head, const std::vector<std::vector<double>>& tokens,
                                  std::size_t row);

// Above this length a map shows only the positions around the witness's row.
inline constexpr std::size_t kWholeMap = 128;

// Part of the attention matrix: weights[r][c] is the weight of position positions[r] on position
// positions[c], c <= r (positions increase).
struct AttentionMap {
  std::size_t length = 0;   // of the input
  std::size_t trigger = 0;  // its position
  std::size_t row = 0;      // the witness's row
  std::vector<std::size_t> positions;
  std::vector<std::vector<double>> weights;

  [[nodiscard]] bool whole() const { return positions.size() == length; }
};

// All positions up to length kWholeMap, else BOS, the trigger, and 16 to either side of the row.
std::vector<std::size_t> shown_positions(std::size_t length, std::size_t trigger, std::size_t row);

// SP1204: a weight is not a finite double.
exact::Result<AttentionMap> attention_map(const Head& head, const Witness& witness);

}  // namespace sinkproof::report
