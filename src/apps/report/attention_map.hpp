// The attention matrices of a model on one exact input, in double precision: a picture's numbers,
// estimates that prove nothing. (What is proved about them stands in the bounds.)
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "exact/error.hpp"
#include "model/attention_model.hpp"
#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {

// x -> W x + b; row-major.
struct Affine {
  std::vector<double> weight;  // [out][in]
  std::vector<double> bias;    // [out]
};

struct Layer {
  Affine query, key, value, output;
  Affine gate;                // one number for each head where the kind is gated, else empty
  std::vector<double> sinks;  // [heads], logits of null slots; empty where these are 0
};

struct Stack {
  model::Attention attention = model::Attention::kSoftmax;
  std::size_t heads = 1;
  bool residual = false;
  std::vector<Layer> layers;
};

Stack in_doubles(const model::AttentionModel& model);

// One row of a head's attention matrix.
struct AttentionRow {
  std::vector<double> weights;  // on the keys 1 .. row
  double null = 0;              // the null slot's share
};

// What the stack makes of rows as wide as the model: its outputs, by the formulas of
// CHECKPOINT_RULES.md, 4.2 and 4.6. Normalised kinds are computed from the kernels' logarithms, so
// that no logit is too large or too small for a weight. `visit` sees each row of each head (layer
// after layer) with its weights. Of the last layer the rows that are not `wanted` are left out, and
// their outputs empty. Rows count from 0.
std::vector<std::vector<double>> pass(
    const Stack& stack, std::vector<std::vector<double>> rows,
    const std::function<bool(std::size_t row)>& wanted,
    const std::function<void(std::size_t head, std::size_t row, const AttentionRow&)>& visit);

// The model of the checkpoint file. The file's own errors (SP02xx, SP04xx, SP11xx); SP1203: it is
// not the model with the SHA-256 and the sizes of the certificate.
exact::Result<Stack> load_stack(const std::filesystem::path& path, const Checkpoint& certificate);

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

// One for each head, layer after layer. SP1204: a weight is not a finite double. Preconditions:
// tokens as wide as the model, 1 <= witness.row, witness.trigger <= tokens.size().
exact::Result<std::vector<AttentionMap>> attention_maps(const Stack& stack, const Witness& witness);

}  // namespace sinkproof::report
