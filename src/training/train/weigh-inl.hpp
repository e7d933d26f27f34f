// Logits to attention weights and back, one row of one sample a lane, for every kind of attention;
// compiled once for each instruction set, as lanes-inl.hpp is.
#if defined(SINKPROOF_TRAIN_WEIGH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_TRAIN_WEIGH_INL_HPP
#undef SINKPROOF_TRAIN_WEIGH_INL_HPP
#else
#define SINKPROOF_TRAIN_WEIGH_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "certificate/attention.hpp"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "train/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::train {
namespace HWY_NAMESPACE {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;

HWY_INLINE V LargestLogit(std::size_t keys, const float* logits) {
  V largest = At(logits, 0);
  for (std::size_t k = 1; k < keys; ++k) largest = hn::Max(largest, At(logits, k));
  return largest;
}

// A kernel's value and slope at logit s, both times e^-shift. The shift is at most 0 where s > 0.
struct ValueSlope {
  V value, slope;
};
template <Kernel kKernel>
HWY_INLINE ValueSlope KernelAt(V s, V shift) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0F);
  if constexpr (kKernel == Kernel::kExp) {
    const V power = hn::Exp(d, hn::Sub(s, shift));
    return {power, power};
  } else if constexpr (kKernel == Kernel::kSigmoid) {
    const V small = hn::Exp(d, hn::Neg(hn::Abs(s)));
    const V share = hn::Div(one, hn::Add(one, small));  // the larger of sigma(s) and sigma(-s)
    const V value = hn::Mul(share, hn::Exp(d, hn::Sub(hn::Min(s, zero), shift)));
    const V rest = hn::IfThenElse(hn::Gt(s, zero), hn::Mul(small, share), share);  // sigma(-s)
    return {value, hn::Mul(value, rest)};
  } else if constexpr (kKernel == Kernel::kElu1) {
    const V power = hn::Exp(d, hn::Sub(hn::Min(s, zero), shift));
    return {hn::Add(power, hn::Max(s, zero)), power};
  } else if constexpr (kKernel == Kernel::kRelu) {
    return {hn::Max(s, zero), hn::IfThenElseZero(hn::Gt(s, zero), one)};
  } else {
    return {s, one};
  }
}

// Logits to weights, in place, and slopes (of exponentials the weights themselves), of a row that
// sees `keys` keys.
template <Kernel kKernel>
HWY_INLINE void WeighRow(const AttentionKind& kind, std::size_t keys, float* weights,
                         float* slopes) {
  const D d;
  const V zero = hn::Zero(d);
  V shift = zero;
  V factor = hn::Set(d, 1.0F / static_cast<float>(std::max<std::size_t>(1, keys - 1)));
  V sum = zero;
  if (kind.normalised) {
    shift = LargestLogit(keys, weights);
    if (kind.null_slot) {
      shift = hn::Max(shift, zero);
      sum = hn::Exp(d, hn::Neg(shift));
    } else if (kKernel != Kernel::kExp) {
      shift = hn::Min(shift, zero);
    }
  }
  for (std::size_t k = 0; k < keys; ++k) {
    const ValueSlope at = KernelAt<kKernel>(At(weights, k), shift);
    sum = hn::Add(sum, at.value);
    Put(at.value, weights, k);
    if constexpr (kKernel != Kernel::kExp) Put(at.slope, slopes, k);
  }
  if (kind.normalised) factor = hn::Div(hn::Set(d, 1.0F), sum);
  for (std::size_t k = 0; k < keys; ++k) {
    Put(hn::Mul(At(weights, k), factor), weights, k);
    if constexpr (kKernel != Kernel::kExp) Put(hn::Mul(At(slopes, k), factor), slopes, k);
  }
}

HWY_INLINE void Weigh(const AttentionKind& kind, std::size_t keys, float* weights, float* slopes) {
  switch (kind.kernel) {
    case Kernel::kExp:
      return WeighRow<Kernel::kExp>(kind, keys, weights, slopes);
    case Kernel::kSigmoid:
      return WeighRow<Kernel::kSigmoid>(kind, keys, weights, slopes);
    case Kernel::kElu1:
      return WeighRow<Kernel::kElu1>(kind, keys, weights, slopes);
    case Kernel::kRelu:
      return WeighRow<Kernel::kRelu>(kind, keys, weights, slopes);
    case Kernel::kLinear:
      return WeighRow<Kernel::kLinear>(kind, keys, weights, slopes);
  }
}

// d weights to d logits, in place: a change of one logit changes its own kernel value and, where
// weights are normalised, the sum below all of them.
HWY_INLINE void WeighBackward(bool normalised, std::size_t keys, const float* weights,
                              const float* slopes, float* d_logits) {
  V mean = hn::Zero(D());
  if (normalised) {
    for (std::size_t k = 0; k < keys; ++k) mean = hn::MulAdd(At(weights, k), At(d_logits, k), mean);
  }
  for (std::size_t k = 0; k < keys; ++k) {
    Put(hn::Mul(At(slopes, k), hn::Sub(At(d_logits, k), mean)), d_logits, k);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::train
HWY_AFTER_NAMESPACE();

#endif
