// What is done to rows between products: norms, an MLP's activation, softmax with its loss, a
// gate; forward and backward in pairs, compiled once for each instruction set, as products-inl.hpp
// is.
#if defined(SINKPROOF_LANGUAGE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_ROWS_INL_HPP
#undef SINKPROOF_LANGUAGE_ROWS_INL_HPP
#else
#define SINKPROOF_LANGUAGE_ROWS_INL_HPP
#endif

#include <cmath>
#include <cstddef>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "language_training/decoder.hpp"
#include "language_training/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// What a norm keeps of a row for the way back.
struct NormOf {
  float mean;     // 0 where the kind does not subtract it
  float inverse;  // 1 / sqrt(mean square of what is left + kNormEpsilon)
};

HWY_INLINE V Normed(NormOf norm, const float* x) {
  return hn::Mul(hn::Sub(At(x), All(norm.mean)), All(norm.inverse));
}

// y = (x - mean) * inverse * weight + bias; null: no bias. `count` is a multiple of 16.
HWY_INLINE NormOf NormRow(const NormKind& kind, std::size_t count, const float* x,
                          const float* weight, const float* bias, float* y) {
  const std::size_t width = Width();
  const auto n = static_cast<float>(count);
  NormOf norm{};
  if (kind.centred) {
    V sum = hn::Zero(D());
    for (std::size_t i = 0; i < count; i += width) sum = hn::Add(sum, At(x + i));
    norm.mean = Sum(sum) / n;
  }
  V squares = hn::Zero(D());
  for (std::size_t i = 0; i < count; i += width) {
    const V off = hn::Sub(At(x + i), All(norm.mean));
    squares = hn::MulAdd(off, off, squares);
  }
  norm.inverse = 1.0F / std::sqrt(Sum(squares) / n + kNormEpsilon);
  for (std::size_t i = 0; i < count; i += width) {
    const V shift = bias == nullptr ? hn::Zero(D()) : At(bias + i);
    Put(hn::MulAdd(Normed(norm, x + i), At(weight + i), shift), y + i);
  }
  return norm;
}

// Adds d of x to d_x, d of weight and bias to theirs; null: no bias.
HWY_INLINE void NormRowBackward(const NormKind& kind, std::size_t count, const float* x,
                                NormOf norm, const float* weight, const float* d_y, float* d_weight,
                                float* d_bias, float* d_x) {
  const std::size_t width = Width();
  V sum = hn::Zero(D());
  V along = hn::Zero(D());
  for (std::size_t i = 0; i < count; i += width) {
    const V normed = Normed(norm, x + i);
    const V error = At(d_y + i);
    const V d_normed = hn::Mul(error, At(weight + i));
    sum = hn::Add(sum, d_normed);
    along = hn::MulAdd(d_normed, normed, along);
    Put(hn::MulAdd(error, normed, At(d_weight + i)), d_weight + i);
    if (d_bias != nullptr) Put(hn::Add(error, At(d_bias + i)), d_bias + i);
  }
  const auto n = static_cast<float>(count);
  const V mean_sum = All(kind.centred ? Sum(sum) / n : 0.0F);
  const V mean_along = All(Sum(along) / n);
  for (std::size_t i = 0; i < count; i += width) {
    const V d_normed = hn::Mul(At(d_y + i), At(weight + i));
    const V d_centred = hn::Sub(d_normed, hn::MulAdd(Normed(norm, x + i), mean_along, mean_sum));
    Put(hn::MulAdd(d_centred, All(norm.inverse), At(d_x + i)), d_x + i);
  }
}

// 1 / (1 + e^-x)
HWY_INLINE V Sigmoid(V x) {
  const V power = hn::Exp(D(), hn::Min(hn::Neg(x), All(80.0F)));
  return hn::Div(All(1.0F), hn::Add(All(1.0F), power));
}

// An activation and its slope at x. GELU in its tanh form is x sigma(2 u), u = sqrt(2 / pi) (x +
// 0.044715 x^3), and SiLU is x sigma(x); `inner` is the slope of sigma's argument.
struct Active {
  V value, slope;
};
HWY_INLINE Active Activate(Activation activation, V x) {
  constexpr float kTwice = 1.5957691216057308F;  // 2 sqrt(2 / pi)
  constexpr float kCubic = 0.044715F;
  const V one = All(1.0F);
  if (activation == Activation::kRelu) {
    return {hn::Max(x, hn::Zero(D())), hn::IfThenElseZero(hn::Gt(x, hn::Zero(D())), one)};
  }
  const bool is_gelu = activation == Activation::kGelu;
  const V square = hn::Mul(x, x);
  const V share =
      Sigmoid(is_gelu ? hn::Mul(hn::Mul(x, All(kTwice)), hn::MulAdd(square, All(kCubic), one)) : x);
  const V inner = is_gelu ? hn::Mul(All(kTwice), hn::MulAdd(square, All(3 * kCubic), one)) : one;
  const V value = hn::Mul(x, share);
  return {value, hn::MulAdd(hn::Mul(value, hn::Sub(one, share)), inner, share)};
}

// One row of an MLP: `wide` becomes the slopes of `hidden` along it.
HWY_INLINE void MlpRow(const MlpKind& kind, std::size_t hidden_floats, float* wide, float* hidden) {
  for (std::size_t i = 0; i < hidden_floats; i += Width()) {
    const Active active = Activate(kind.activation, At(wide + i));
    if (!kind.gated) {
      Put(active.value, hidden + i);
      Put(active.slope, wide + i);
      continue;
    }
    const V open = At(wide + hidden_floats + i);
    Put(hn::Mul(active.value, open), hidden + i);
    Put(hn::Mul(active.slope, open), wide + i);
    Put(active.value, wide + hidden_floats + i);
  }
}
// From d of `hidden` to d of `wide`, which may begin where it does.
HWY_INLINE void MlpRowBackward(const MlpKind& kind, std::size_t hidden_floats, const float* slopes,
                               const float* d_hidden, float* d_wide) {
  for (std::size_t i = 0; i < hidden_floats; i += Width()) {
    const V d = At(d_hidden + i);
    if (kind.gated) {
      Put(hn::Mul(d, At(slopes + hidden_floats + i)), d_wide + hidden_floats + i);
    }
    Put(hn::Mul(d, At(slopes + i)), d_wide + i);
  }
}

HWY_INLINE void AddRow(std::size_t count, float times, const float* what, float* to) {
  for (std::size_t i = 0; i < count; i += Width()) {
    Put(hn::MulAdd(All(times), At(what + i), At(to + i)), to + i);
  }
}

HWY_INLINE float Dot(std::size_t count, const float* a, const float* b) {
  V sum = hn::Zero(D());
  for (std::size_t i = 0; i < count; i += Width()) sum = hn::MulAdd(At(a + i), At(b + i), sum);
  return Sum(sum);
}

// -log of the target's share in softmax of `count` logits; these become the loss's gradient times
// `factor`. `padded`, a multiple of 16, >= count: what is behind becomes 0.
HWY_INLINE double CrossEntropyRow(std::size_t count, std::size_t padded, std::size_t target,
                                  float factor, float* logits) {
  const std::size_t width = Width();
  const float asked = logits[target];
  std::fill(logits + count, logits + padded, -1e30F);
  V most = At(logits);
  for (std::size_t i = width; i < padded; i += width) most = hn::Max(most, At(logits + i));
  const V largest = hn::MaxOfLanes(D(), most);
  V sum = hn::Zero(D());
  for (std::size_t i = 0; i < padded; i += width) {
    const V power = hn::Exp(D(), hn::Sub(At(logits + i), largest));
    Put(power, logits + i);
    sum = hn::Add(sum, power);
  }
  const float total = Sum(sum);
  const V share = All(factor / total);
  for (std::size_t i = 0; i < padded; i += width) Put(hn::Mul(At(logits + i), share), logits + i);
  logits[target] -= factor;
  return std::log(static_cast<double>(total)) + hn::GetLane(largest) - asked;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
