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

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "train/attention.hpp"
#include "train/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::train {
namespace HWY_NAMESPACE {
namespace {

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
  } else if constexpr (kKernel == Kernel::kLogistic) {
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
HWY_INLINE void WeighRow(Scale scale, std::size_t keys, float* weights, float* slopes) {
  const D d;
  const V zero = hn::Zero(d);
  V shift = zero;
  V factor = hn::Set(d, 1.0F / static_cast<float>(std::max<std::size_t>(1, keys - 1)));
  V sum = zero;
  if (scale != Scale::kPosition) {
    shift = LargestLogit(keys, weights);
    if (scale == Scale::kSumAndNull) {
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
  if (scale != Scale::kPosition) factor = hn::Div(hn::Set(d, 1.0F), sum);
  for (std::size_t k = 0; k < keys; ++k) {
    Put(hn::Mul(At(weights, k), factor), weights, k);
    if constexpr (kKernel != Kernel::kExp) Put(hn::Mul(At(slopes, k), factor), slopes, k);
  }
}

HWY_INLINE void Weigh(const AttentionRule& rule, std::size_t keys, float* weights, float* slopes) {
  switch (rule.kernel) {
    case Kernel::kExp:
      return WeighRow<Kernel::kExp>(rule.scale, keys, weights, slopes);
    case Kernel::kLogistic:
      return WeighRow<Kernel::kLogistic>(rule.scale, keys, weights, slopes);
    case Kernel::kElu1:
      return WeighRow<Kernel::kElu1>(rule.scale, keys, weights, slopes);
    case Kernel::kRelu:
      return WeighRow<Kernel::kRelu>(rule.scale, keys, weights, slopes);
    case Kernel::kLinear:
      return WeighRow<Kernel::kLinear>(rule.scale, keys, weights, slopes);
  }
}

// d weights to d logits, in place: a change of one logit changes its own kernel value and, where
// weights are normalised, the sum below all of them.
HWY_INLINE void WeighBackward(Scale scale, std::size_t keys, const float* weights,
                              const float* slopes, float* d_logits) {
  V mean = hn::Zero(D());
  if (scale != Scale::kPosition) {
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
