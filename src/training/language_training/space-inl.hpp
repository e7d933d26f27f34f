// What a pass works in, and the steps over all its rows that every part of a decoder shares:
// products with weights, and norms. Compiled once for each instruction set, as products-inl.hpp is.
#if defined(SINKPROOF_LANGUAGE_SPACE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_SPACE_INL_HPP
#undef SINKPROOF_LANGUAGE_SPACE_INL_HPP
#else
#define SINKPROOF_LANGUAGE_SPACE_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "language_training/heads-inl.hpp"
#include "language_training/pass.hpp"
#include "language_training/products-inl.hpp"
#include "language_training/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// What a layer keeps of its way forward; rows are tokens of all sequences.
struct LayerSpace {
  float *in, *qkv, *mixed, *middle, *hidden, *slope;
  float *read1, *read2;    // what attention and MLP read: what is normed, or `in` itself
  float *base, *sum;       // what the MLP's output is added to, and the sum if it is normed after
  float *raw, *inner;      // [rows][2 width]: queries and keys before features, and within them
  float* weights;          // [sequences][heads], each as KeptOfHead has them
  float *gates, *ungated;  // [rows][heads], [rows][width]
  NormOf *outer_norm, *middle_norm;  // [rows]: norms as LayerLayout has them
};

// Everything of a pass over `sequences` sequences, laid out one behind the other.
struct Space {
  // With `floats` null only counts.
  Space(const Decoder& decoder, std::size_t sequences, float* floats)
      : rows(sequences * decoder.length),
        logit_row(rounded_up(decoder.vocabulary(), kMostPanel)),
        head(decoder, floats) {
    count = head.count;
    const std::size_t width = decoder.width;
    const bool after = decoder.norm_place.after;
    const bool featured = decoder.kind.features == Features::kMlp;
    const auto take = [&](std::size_t wanted) {
      float* const at = floats == nullptr ? nullptr : floats + count;
      count += rounded_up(wanted, kPadding);
      return at;
    };
    const auto take_norms = [&] { return reinterpret_cast<NormOf*>(take(2 * rows)); };
    head_weights = KeptOfHead(decoder, head);
    for (std::size_t l = 0; l < kMostLayers && l < decoder.layers; ++l) {
      LayerSpace& layer = layers[l];
      layer.in = take(rows * width);
      layer.qkv = take(rows * 3 * width);
      layer.mixed = take(rows * width);
      layer.middle = take(rows * width);
      layer.hidden = take(rows * decoder.hidden());
      layer.slope = take(rows * decoder.wide());
      layer.read1 = after ? layer.in : take(rows * width);
      layer.read2 = take(rows * width);
      layer.base = after ? layer.read2 : layer.middle;
      layer.sum = after ? take(rows * width) : nullptr;
      layer.weights = take(sequences * decoder.heads * head_weights);
      if (featured) {
        layer.raw = take(rows * 2 * width);
        layer.inner = take(rows * 2 * width);
      }
      layer.outer_norm = take_norms();
      layer.middle_norm = take_norms();
      if (!decoder.kind.gated) continue;
      layer.gates = take(rows * decoder.heads);
      layer.ungated = take(rows * width);
    }
    if (decoder.positions.bias == LogitBias::kRelative) {
      biases = take(2 * decoder.heads * decoder.length);
      d_biases = take(2 * decoder.heads * decoder.length);
    }
    out = take(rows * width);
    normed = after ? out : take(rows * width);
    norm = take_norms();
    logits = take(rows * logit_row);
    d_out = take(rows * width);
    d_normed = take(rows * width);
    d_wide = take(rows * decoder.wide());
    const std::size_t widest = std::max(decoder.wide(), logit_row);
    std::size_t right = rounded_up(widest, kMostPanel);
    std::size_t left = rounded_up(widest, kMostTile);
    if (featured) {  // products of rows of one head's width, 2 heads times as many
      apart = take(rows * 2 * width);
      d_inner = take(rows * 2 * width);
      right = std::max(right, 2 * decoder.heads * rounded_up(decoder.head_width(), kMostPanel));
      left = std::max(left, 2 * decoder.heads * rounded_up(decoder.head_width(), kMostTile));
    }
    packed = take(rows * right);
    packed_left = take(rows * left);
  }

  static constexpr std::size_t kMostLayers = language_training::kMostLayers;
  std::size_t rows, logit_row;
  std::size_t head_weights = 0;
  HeadSpace head;
  LayerSpace layers[kMostLayers];
  float *biases = nullptr, *d_biases = nullptr;  // learned ones, as HeadInput::bias has them
  float *out, *normed, *logits, *d_out, *d_normed, *d_wide;
  float *packed, *packed_left;
  float *apart = nullptr, *d_inner = nullptr;  // [rows][2 width]: as LayerSpace::raw and inner
  NormOf* norm;
  std::size_t count = 0;
};

static_assert(sizeof(NormOf) == 2 * sizeof(float));

// A pass's request with what is derived of it.
struct Pass {
  const Decoder& decoder;
  const Layout& layout;
  const PassRequest& request;
  Space space;

  [[nodiscard]] const float* weight(std::size_t at) const { return request.weights + at; }
  [[nodiscard]] const PackedMatrix& matrix(std::size_t l, Matrix which) const {
    return request.plan.matrices[l * request.plan.of_layer + static_cast<std::size_t>(which)];
  }
  [[nodiscard]] const PackedMatrix& head() const { return request.plan.matrices.back(); }
};

// y = x m of `rows` rows, y with `cols` columns: m's, or as many as they are padded to.
HWY_INLINE void Multiply(const Pass& pass, std::size_t rows, const PackedMatrix& m, const float* x,
                         float* y, std::size_t cols, Start start) {
  Product(rows, cols, m.depth, RowMajor(x, m.depth), pass.request.packed + m.forward, m.depth,
          {y, cols}, start);
}
// d_x = d_y m^T of `rows` rows, those of d_y `stride` apart.
HWY_INLINE void MultiplyBack(const Pass& pass, std::size_t rows, const PackedMatrix& m,
                             const float* d_y, std::size_t stride, float* d_x) {
  Product(rows, m.depth, m.cols, RowMajor(d_y, stride), pass.request.packed + m.backward, m.cols,
          {d_x, m.depth}, Start::kZero);
}
// d [x_cols][y_cols] += x^T y over `rows` rows.
HWY_INLINE void AddOuter(const Pass& pass, std::size_t rows, std::size_t x_cols, const float* x,
                         std::size_t x_stride, std::size_t y_cols, const float* y, float* d) {
  Pack(rows, y_cols, y, y_cols, pass.space.packed);
  const Left left = PackLeftTransposed(x_cols, rows, x, x_stride, pass.space.packed_left);
  Product(x_cols, y_cols, rows, left, pass.space.packed, rows, {d, y_cols}, Start::kAccumulate);
}

void Norm(const Pass& pass, const float* x, const NormLayout& at, NormOf* norms, float* y) {
  const std::size_t width = pass.decoder.width;
  const float* const bias = pass.decoder.norm.centred ? pass.weight(at.bias) : nullptr;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    norms[row] = NormRow(pass.decoder.norm, width, x + row * width, pass.weight(at.weight), bias,
                         y + row * width);
  }
}
// Adds d of x, from d_normed, to d_out.
void NormBackward(const Pass& pass, const float* x, const NormLayout& at, const NormOf* norms,
                  float* gradient) {
  const std::size_t width = pass.decoder.width;
  float* const d_bias = pass.decoder.norm.centred ? gradient + at.bias : nullptr;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    NormRowBackward(pass.decoder.norm, width, x + row * width, norms[row], pass.weight(at.weight),
                    pass.space.d_normed + row * width, gradient + at.weight, d_bias,
                    pass.space.d_out + row * width);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
