#include "train/parameters.hpp"

#include <utility>

#include "train/kernels.hpp"

namespace sinkproof::train {

std::size_t Parameter::stride() const { return row_stride(cols); }

std::vector<std::uint64_t> Parameter::tensor_shape() const {
  if (bias) return {cols};
  return {rows, cols};
}

std::string layer_prefix(const Shape& shape, std::size_t layer) {
  return shape.layers == 1 ? "" : "layers." + std::to_string(layer) + ".";
}

std::vector<Parameter> parameters(const Shape& shape) {
  const std::size_t n = shape.d_model;
  const std::size_t wide = shape.heads * n;
  const certificate::AttentionKind& kind = certificate::kind_of(shape.attention);
  std::vector<Parameter> list;
  std::size_t offset = 0;
  for (std::size_t l = 0; l < shape.layers; ++l) {
    const std::string prefix = layer_prefix(shape, l);
    const auto add = [&](const char* name, std::size_t rows, std::size_t cols, bool bias) {
      list.push_back({prefix + name, rows, cols, bias, offset});
      offset += rows * list.back().stride();
    };
    add("W_Q.weight", wide, n, false);
    add("W_K.weight", wide, n, false);
    add("W_V.weight", wide, n, false);
    add("W_O.weight", n, wide, false);
    if (kind.gated) add("W_G.weight", shape.heads, n, false);
    if (shape.bias) {
      add("W_Q.bias", 1, wide, true);
      add("W_K.bias", 1, wide, true);
      add("W_V.bias", 1, wide, true);
      add("W_O.bias", 1, n, true);
    }
    if (kind.gated) add("W_G.bias", 1, shape.heads, true);
    if (kind.sinks) add("sinks", 1, shape.heads, true);
  }
  return list;
}

std::size_t parameter_floats(const Shape& shape) {
  const std::vector<Parameter> list = parameters(shape);
  return list.back().offset + list.back().rows * list.back().stride();
}

std::vector<float> dense(const Parameter& parameter, const AlignedFloats& padded) {
  std::vector<float> values(parameter.rows * parameter.cols);
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = padded.data()[parameter.offset + at / parameter.cols * parameter.stride() +
                               at % parameter.cols];
  }
  return values;
}

void set_dense(const Parameter& parameter, const std::vector<float>& values,
               AlignedFloats& padded) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    padded
        .data()[parameter.offset + at / parameter.cols * parameter.stride() + at % parameter.cols] =
        values[at];
  }
}

}  // namespace sinkproof::train
