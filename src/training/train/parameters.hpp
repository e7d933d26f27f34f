// The parameters of a model as one padded buffer of floats: which tensors there are, in which
// order, where. Names and layouts are PyTorch's (nn.Linear weight [out, in], bias [out]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "train/aligned.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

// Rows of `cols` floats, each padded with zeros to row_stride(cols) floats, from `offset` on. A
// bias is one row.
struct Parameter {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  bool bias = false;
  std::size_t offset = 0;  // in floats

  [[nodiscard]] std::size_t stride() const;
  [[nodiscard]] std::vector<std::uint64_t> tensor_shape() const;  // in a file
};

// What the names of layer `layer` (from 0) begin with: "layers.{l}." in stacks, nothing of one
// layer.
std::string layer_prefix(const Shape& shape, std::size_t layer);

// Layer after layer, behind its prefix: W_Q.weight, W_K.weight, W_V.weight [H n, n], W_O.weight
// [n, H n]; for gated attention W_G.weight [H, n]; with biases W_Q.bias, W_K.bias, W_V.bias [H n],
// W_O.bias [n]; for gated attention W_G.bias [H]; where the null slot's logit is learned, sinks
// [H], which counts as a bias.
std::vector<Parameter> parameters(const Shape& shape);

// Floats of the whole buffer, a multiple of kMaxLanes.
std::size_t parameter_floats(const Shape& shape);

// A parameter's values without padding, row-major; and back.
std::vector<float> dense(const Parameter& parameter, const AlignedFloats& padded);
void set_dense(const Parameter& parameter, const std::vector<float>& values, AlignedFloats& padded);

}  // namespace sinkproof::train
