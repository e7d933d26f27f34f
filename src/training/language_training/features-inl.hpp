// What queries and keys become before they meet (Features of attention_kind.hpp), forward and
// backward, compiled once for each instruction set, as products-inl.hpp is. A layer's queries and
// keys of all heads are read as rows of one head's width: the same is done to each.
#if defined(SINKPROOF_LANGUAGE_FEATURES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_FEATURES_INL_HPP
#undef SINKPROOF_LANGUAGE_FEATURES_INL_HPP
#else
#define SINKPROOF_LANGUAGE_FEATURES_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "language_training/heads-inl.hpp"
#include "language_training/rows-inl.hpp"
#include "language_training/space-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// Queries and keys of all rows between qkv, whose rows also hold values, and `apart`, where they
// lie without.
void TakeApart(const Pass& pass, const float* qkv, float* apart) {
  const std::size_t width = pass.decoder.width;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    std::copy_n(qkv + row * 3 * width, 2 * width, apart + row * 2 * width);
  }
}
void PutBack(const Pass& pass, const float* apart, float* qkv) {
  const std::size_t width = pass.decoder.width;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    std::copy_n(apart + row * 2 * width, 2 * width, qkv + row * 3 * width);
  }
}

// max(x, 0); and 0 of `d` where that is 0. `count` is a multiple of 16.
HWY_INLINE void Relu(std::size_t count, float* x) {
  for (std::size_t i = 0; i < count; i += Width()) Put(hn::Max(At(x + i), hn::Zero(D())), x + i);
}
HWY_INLINE void ReluBackward(std::size_t count, const float* x, float* d) {
  for (std::size_t i = 0; i < count; i += Width()) {
    Put(hn::IfThenElseZero(hn::Gt(At(x + i), hn::Zero(D())), At(d + i)), d + i);
  }
}

void Featurise(const Pass& pass, std::size_t l) {
  const Features features = pass.decoder.kind.features;
  const LayerSpace& layer = pass.space.layers[l];
  const std::size_t width = pass.decoder.width;
  if (features == Features::kNone) return;
  if (features == Features::kElu1) {
    for (std::size_t row = 0; row < pass.space.rows; ++row) {
      float* const x = layer.qkv + row * 3 * width;
      for (std::size_t i = 0; i < 2 * width; i += Width()) {
        Put(Kernel(Weighing::kElu1, All(1.0F), At(x + i)), x + i);
      }
    }
    return;
  }
  const std::size_t count = pass.space.rows * 2 * width;
  const std::size_t own = pass.decoder.head_width();
  const std::size_t all = count / own;
  TakeApart(pass, layer.qkv, layer.raw);
  Multiply(pass, all, pass.matrix(l, Matrix::kKernelIn), layer.raw, layer.inner, own, Start::kZero);
  Relu(count, layer.inner);
  Multiply(pass, all, pass.matrix(l, Matrix::kKernelOut), layer.inner, pass.space.apart, own,
           Start::kZero);
  PutBack(pass, pass.space.apart, layer.qkv);
}

// d of features, in the queries' and keys' places of d_wide, becomes d of what they are of.
void FeaturiseBackward(const Pass& pass, std::size_t l, float* gradient) {
  const Features features = pass.decoder.kind.features;
  const Space& space = pass.space;
  const LayerSpace& layer = space.layers[l];
  const std::size_t width = pass.decoder.width;
  if (features == Features::kNone) return;
  if (features == Features::kElu1) {
    for (std::size_t row = 0; row < space.rows; ++row) {
      const float* const value = layer.qkv + row * 3 * width;
      float* const d = space.d_wide + row * 3 * width;
      for (std::size_t i = 0; i < 2 * width; i += Width()) {
        const V slope = KernelSlope(Weighing::kElu1, All(1.0F), At(value + i));
        Put(hn::Mul(At(d + i), slope), d + i);
      }
    }
    return;
  }
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t own = pass.decoder.head_width();
  const std::size_t count = space.rows * 2 * width;
  const std::size_t all = count / own;
  TakeApart(pass, space.d_wide, space.apart);
  AddOuter(pass, all, own, layer.inner, own, own, space.apart, gradient + at.kernel_out);
  MultiplyBack(pass, all, pass.matrix(l, Matrix::kKernelOut), space.apart, own, space.d_inner);
  ReluBackward(count, layer.inner, space.d_inner);
  AddOuter(pass, all, own, layer.raw, own, own, space.d_inner, gradient + at.kernel_in);
  MultiplyBack(pass, all, pass.matrix(l, Matrix::kKernelIn), space.d_inner, own, space.apart);
  PutBack(pass, space.apart, space.d_wide);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
