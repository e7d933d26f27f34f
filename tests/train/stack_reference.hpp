// The plain reference of the training step: one sample at a time, the factored matrices, loops as
// one would write them on a board, forward and backward in pairs, for every kind of attention. The
// kernels of kernels.hpp and general_kernels.hpp are tested and timed against it; in double it is
// tested against finite differences. T is float or double.
#pragma once

#include <vector>

#include "train/task.hpp"

namespace sinkproof::train::reference {

// A layer's parameters or their gradients, nn.Linear layout [out, in], heads concatenated. An empty
// bias is a layer without it; the gates are those of gated attention, the sinks the null slots'
// logits where they are weights.
template <typename T>
struct Weights {
  std::vector<T> query, key, value;                                // [H d_model][d_model]
  std::vector<T> output;                                           // [d_model][H d_model]
  std::vector<T> query_bias = {}, key_bias = {}, value_bias = {};  // [H d_model]
  std::vector<T> output_bias = {};                                 // [d_model]
  std::vector<T> gate = {};                                        // [H][d_model]
  std::vector<T> gate_bias = {};                                   // [H]
  std::vector<T> sinks = {};                                       // [H]
};

// Layer after layer.
template <typename T>
using Stack = std::vector<Weights<T>>;

// What the forward pass of a layer keeps for the backward pass; rows are positions.
template <typename T>
struct Activations {
  std::vector<T> queries, keys, values;  // [length][H d_model]
  std::vector<T> logits, attention;      // [H][length][length], zero above the diagonal
  std::vector<T> gates;                  // [length][H], 1 unless gated
  std::vector<T> ungated, mixed;         // [length][H d_model], before and after the gates
  std::vector<T> out;                    // [length][d_model]
};

// One layer, without its residual connection.
template <typename T>
Activations<T> forward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens);

// A stack's inputs, what each layer makes of them, and what the layers keep.
template <typename T>
struct Passes {
  std::vector<std::vector<T>> states;  // [D + 1] of [length][d_model]
  std::vector<Activations<T>> kept;    // [D]
};

template <typename T>
Passes<T> forward_stack(const Shape& shape, const Stack<T>& weights, const std::vector<T>& tokens);

// Adds the gradients of a scalar loss to `gradient` and `d_tokens` (unless null), given d loss / d
// out; both [length][d_model]. Of one layer, without its residual connection. The loss has also
// bos_pull / 2 times the squares of the weights on BOS of rows 2..length.
template <typename T>
void backward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens,
              const Activations<T>& kept, const std::vector<T>& d_out, Weights<T>& gradient,
              T bos_pull, std::vector<T>* d_tokens);

template <typename T>
struct StepResult {
  double loss = 0;         // mean squared error over batch, positions and coordinates
  double linf = 0;         // largest absolute error
  double squared_bos = 0;  // mean over batch, layers, heads and rows 2..length of squared weights
                           // on BOS
  Stack<T> gradient;       // of loss + bos_penalty squared_bos
};

// Loss and gradient of one random batch of `samples` sequences.
template <typename T>
StepResult<T> batch_gradient(const Shape& shape, const Stack<T>& weights, const BatchId& batch,
                             std::uint32_t samples, double bos_penalty = 0);

struct AdamRate {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

// One AdamW update in PyTorch's form; `update` counts from 1.
template <typename T>
void adam(const AdamRate& rate, std::uint64_t update, const std::vector<T>& gradient,
          std::vector<T>& first, std::vector<T>& second, std::vector<T>& weights);

}  // namespace sinkproof::train::reference
