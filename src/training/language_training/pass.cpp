#include "language_training/pass.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
// Processors that end at SSSE3 (before 2008) take the scalar target: each target costs seconds
// here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "language_training/pass.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "language_training/attention-inl.hpp"
#include "language_training/features-inl.hpp"
#include "language_training/places-inl.hpp"
#include "language_training/products-inl.hpp"
#include "language_training/rows-inl.hpp"
#include "language_training/space-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// Scales the heads' outputs, or d of them.
void Scale(const Pass& pass, float* outputs) {
  if (pass.decoder.scale == 1) return;
  const auto scale = static_cast<float>(pass.decoder.scale);
  for (std::size_t i = 0; i < pass.space.rows * pass.decoder.width; ++i) outputs[i] *= scale;
}

void LayerForward(const Pass& pass, std::size_t l, float* out) {
  const Decoder& decoder = pass.decoder;
  const std::size_t width = decoder.width;
  const LayerSpace& layer = pass.space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t rows = pass.space.rows;
  const std::size_t stream = rows * width;
  const bool after = decoder.norm_place.after;
  if (!after) Norm(pass, layer.in, at.outer, layer.outer_norm, layer.read1);
  Multiply(pass, rows, pass.matrix(l, Matrix::kQkv), layer.read1, layer.qkv, 3 * width,
           Start::kZero);
  Turn(pass, 1, layer.qkv);
  Featurise(pass, l);
  ForHeads(pass, [&](std::size_t sequence, std::size_t head) {
    HeadForward(decoder, pass.space.head, InputOf(pass, l, sequence, head),
                layer.weights + (sequence * decoder.heads + head) * pass.space.head_weights,
                layer.mixed + sequence * decoder.length * width + head * decoder.head_width(),
                width);
  });
  Scale(pass, layer.mixed);
  if (decoder.kind.gated) Gate(pass, l);
  std::copy_n(layer.in, stream, layer.middle);
  Multiply(pass, rows, pass.matrix(l, Matrix::kOut), layer.mixed, layer.middle, width,
           Start::kAccumulate);
  Norm(pass, layer.middle, at.middle, layer.middle_norm, layer.read2);
  Multiply(pass, rows, pass.matrix(l, Matrix::kMlpIn), layer.read2, layer.slope, decoder.wide(),
           Start::kZero);
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    MlpRow(decoder.mlp, decoder.hidden(), layer.slope + row * decoder.wide(),
           layer.hidden + row * decoder.hidden());
  }
  float* const sum = after ? layer.sum : out;
  std::copy_n(layer.base, stream, sum);
  Multiply(pass, rows, pass.matrix(l, Matrix::kMlpOut), layer.hidden, sum, width,
           Start::kAccumulate);
  if (after) Norm(pass, sum, at.outer, layer.outer_norm, out);
}

// Adds d_out to d_normed; leaves d_out 0.
void MoveToNormed(const Pass& pass) {
  const std::size_t stream = pass.space.rows * pass.decoder.width;
  AddRow(stream, 1.0F, pass.space.d_out, pass.space.d_normed);
  std::fill_n(pass.space.d_out, stream, 0.0F);
}

void MlpBackward(const Pass& pass, std::size_t l, float* gradient) {
  const std::size_t width = pass.decoder.width;
  const std::size_t hidden = pass.decoder.hidden();
  const std::size_t wide = pass.decoder.wide();
  const std::size_t rows = pass.space.rows;
  const Space& space = pass.space;
  const LayerSpace& layer = space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  if (pass.decoder.norm_place.after) {
    std::fill_n(space.d_normed, space.rows * width, 0.0F);
    MoveToNormed(pass);
    NormBackward(pass, layer.sum, at.outer, layer.outer_norm, gradient);
  }
  AddOuter(pass, rows, hidden, layer.hidden, hidden, width, space.d_out, gradient + at.mlp_out);
  MultiplyBack(pass, rows, pass.matrix(l, Matrix::kMlpOut), space.d_out, width, space.d_wide);
  for (std::size_t row = space.rows; row-- > 0;) {  // from the last: rows of d_wide grow in place
    MlpRowBackward(pass.decoder.mlp, hidden, layer.slope + row * wide, space.d_wide + row * hidden,
                   space.d_wide + row * wide);
  }
  AddOuter(pass, rows, width, layer.read2, width, wide, space.d_wide, gradient + at.mlp_in);
  MultiplyBack(pass, rows, pass.matrix(l, Matrix::kMlpIn), space.d_wide, wide, space.d_normed);
  if (pass.decoder.norm_place.after) MoveToNormed(pass);  // what the MLP reads is also its base
  NormBackward(pass, layer.middle, at.middle, layer.middle_norm, gradient);
}

void AttentionBackward(const Pass& pass, std::size_t l, float* gradient) {
  const Decoder& decoder = pass.decoder;
  const std::size_t width = decoder.width;
  const Space& space = pass.space;
  const LayerSpace& layer = space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t rows = space.rows;
  AddOuter(pass, rows, width, layer.mixed, width, width, space.d_out, gradient + at.attention_out);
  MultiplyBack(pass, rows, pass.matrix(l, Matrix::kOut), space.d_out, width, space.d_normed);
  if (decoder.kind.gated) GateBackward(pass, l, gradient);
  Scale(pass, space.d_normed);
  ForHeads(pass, [&](std::size_t sequence, std::size_t head) {
    HeadBackward(decoder, space.head, InputOf(pass, l, sequence, head),
                 layer.weights + (sequence * decoder.heads + head) * space.head_weights,
                 space.d_normed + sequence * decoder.length * width + head * decoder.head_width(),
                 width, GradientOf(pass, l, sequence, head, gradient));
  });
  FeaturiseBackward(pass, l, gradient);
  Turn(pass, -1, space.d_wide);
  AddOuter(pass, rows, width, layer.read1, width, 3 * width, space.d_wide, gradient + at.attention);
  MultiplyBack(pass, rows, pass.matrix(l, Matrix::kQkv), space.d_wide, 3 * width, space.d_normed);
  if (decoder.kind.gated) GateInputBackward(pass, l);
  if (decoder.norm_place.after) {
    AddRow(space.rows * width, 1.0F, space.d_normed, space.d_out);
  } else {
    NormBackward(pass, layer.in, at.outer, layer.outer_norm, gradient);
  }
}

// To the loss; logits become its gradient times `factor`.
double Forward(const Pass& pass, float factor) {
  const Decoder& decoder = pass.decoder;
  const Space& space = pass.space;
  Embed(pass, space.layers[0].in);
  SpreadBiases(pass);
  for (std::size_t l = 0; l < decoder.layers; ++l) {
    LayerForward(pass, l, l + 1 == decoder.layers ? space.out : space.layers[l + 1].in);
  }
  if (!decoder.norm_place.after) {
    Norm(pass, space.out, pass.layout.norm, space.norm, space.normed);
  }
  Multiply(pass, space.rows, pass.head(), space.normed, space.logits, space.logit_row,
           Start::kZero);
  double loss = 0;
  for (std::size_t row = 0; row < space.rows; ++row) {
    const std::size_t position = row % decoder.length;
    float* const logits = space.logits + row * space.logit_row;
    if (position < decoder.first_asked()) {
      std::fill_n(logits, space.logit_row, 0.0F);
      continue;
    }
    const std::size_t next = row / decoder.length * (decoder.length + 1) + position + 1;
    loss += CrossEntropyRow(decoder.vocabulary(), space.logit_row, pass.request.tokens[next],
                            factor, logits);
  }
  return loss;
}

void Backward(const Pass& pass, float* gradient) {
  const Decoder& decoder = pass.decoder;
  const Space& space = pass.space;
  const Layout& layout = pass.layout;
  AddOuter(pass, space.rows, decoder.vocabulary(), space.logits, space.logit_row, decoder.width,
           space.normed, gradient + layout.head);
  MultiplyBack(pass, space.rows, pass.head(), space.logits, space.logit_row, space.d_normed);
  std::fill_n(space.d_out, space.rows * decoder.width, 0.0F);
  if (decoder.norm_place.after) {
    AddRow(space.rows * decoder.width, 1.0F, space.d_normed, space.d_out);
  } else {
    NormBackward(pass, space.out, layout.norm, space.norm, gradient);
  }
  for (std::size_t l = decoder.layers; l-- > 0;) {
    MlpBackward(pass, l, gradient);
    AttentionBackward(pass, l, gradient);
  }
  EmbedBackward(pass, gradient);
  GatherBiases(pass, gradient);
}

Pass PassOf(const PassRequest& request, float* scratch) {
  const Decoder& decoder = request.plan.decoder;
  return {decoder, request.plan.layout, request, Space(decoder, request.sequences, scratch)};
}

std::size_t ScratchFloats(const Decoder& decoder, std::size_t sequences) {
  return Space(decoder, sequences, nullptr).count;
}

double PassLoss(const PassRequest& request, float* scratch, float* attention) {
  const Pass pass = PassOf(request, scratch);
  const double loss = Forward(pass, 0.0F);
  if (attention != nullptr) AllMeans(pass, attention);
  return loss;
}

double PassGradient(const PassRequest& request, float factor, float* scratch, float* gradient) {
  const Pass pass = PassOf(request, scratch);
  const double loss = Forward(pass, factor);
  Backward(pass, gradient);
  return loss;
}

double AddUp(std::size_t count, std::size_t arrays, std::size_t stride, const float* from,
             float* to) {
  V squares = hn::Zero(D());
  for (std::size_t at = 0; at < count; at += Width()) {
    V sum = At(from + at);
    for (std::size_t array = 1; array < arrays; ++array) {
      sum = hn::Add(sum, At(from + array * stride + at));
    }
    Put(sum, to + at);
    squares = hn::MulAdd(sum, sum, squares);
  }
  return Sum(squares);
}

void PackMatrix(const Plan& plan, const float* weights, std::size_t which, float* packed) {
  const PackedMatrix& m = plan.matrices[which];
  const float* const from = weights + m.weights;
  if (m.transposed) {
    PackTransposed(m.depth, m.cols, from, m.depth, packed + m.forward);
    Pack(m.cols, m.depth, from, m.depth, packed + m.backward);
  } else {
    Pack(m.depth, m.cols, from, m.cols, packed + m.forward);
    PackTransposed(m.cols, m.depth, from, m.cols, packed + m.backward);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::language_training {

HWY_EXPORT(ScratchFloats);
HWY_EXPORT(PackMatrix);
HWY_EXPORT(AddUp);
HWY_EXPORT(PassLoss);
HWY_EXPORT(PassGradient);

std::size_t scratch_floats(const Decoder& decoder, std::size_t sequences) {
  return HWY_DYNAMIC_DISPATCH(ScratchFloats)(decoder, sequences);
}

void pack_matrix(const Plan& plan, const float* weights, std::size_t matrix, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackMatrix)(plan, weights, matrix, packed);
}

double add_up(std::size_t count, std::size_t arrays, std::size_t stride, const float* from,
              float* to) {
  return HWY_DYNAMIC_DISPATCH(AddUp)(count, arrays, stride, from, to);
}

double pass_loss(const PassRequest& request, float* scratch, float* attention) {
  return HWY_DYNAMIC_DISPATCH(PassLoss)(request, scratch, attention);
}

double pass_gradient(const PassRequest& request, float factor, float* scratch, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(PassGradient)(request, factor, scratch, gradient);
}

}  // namespace sinkproof::language_training
#endif  // HWY_ONCE
