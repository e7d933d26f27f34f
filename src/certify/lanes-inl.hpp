// What lanes compute with, compiled once for each instruction set: one search a lane, and the same
// bits on all of them. Included only between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE's files,
// after foreach_target.h, and compiled without contraction of sums and products.
#if defined(SINKPROOF_CERTIFY_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_CERTIFY_LANES_INL_HPP
#undef SINKPROOF_CERTIFY_LANES_INL_HPP
#else
#define SINKPROOF_CERTIFY_LANES_INL_HPP
#endif

#include <cstddef>
#include <cstdint>

#include "certificate/attention.hpp"
#include "certify/row_ascent.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kMostLanes = 16;
constexpr std::size_t kTile = RowOperators::kTile;  // accumulators of a product

using D = hn::CappedTag<float, kMostLanes>;
using DU = hn::RebindToUnsigned<D>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

std::size_t Width() { return hn::Lanes(D()); }
HWY_INLINE V Set(float x) { return hn::Set(D(), x); }
HWY_INLINE V Zero() { return hn::Zero(D()); }
HWY_INLINE V At(const float* base, std::size_t index) {
  return hn::Load(D(), base + index * Width());
}
HWY_INLINE void Put(V value, float* base, std::size_t index) {
  hn::Store(value, D(), base + index * Width());
}
HWY_INLINE void Add(V value, float* base, std::size_t index) {
  Put(hn::Add(At(base, index), value), base, index);
}
// a b + c, rounded twice: no instruction set fuses it.
HWY_INLINE V PlusProduct(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }

// exp of x <= 88; 0 below -87.
HWY_INLINE V Exp(V x) {
  const V whole = hn::Round(hn::Mul(x, Set(1.44269504F)));
  V rest = PlusProduct(whole, Set(-0.693359375F), x);
  rest = PlusProduct(whole, Set(2.12194440e-4F), rest);
  V sum = Set(1.0F / 720);
  for (const float c : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) {
    sum = PlusProduct(sum, rest, Set(c));
  }
  const V kept = hn::Min(hn::Max(whole, Set(-126)), Set(127));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(DI(), kept), hn::Set(DI(), 127)));
  return hn::IfThenElseZero(hn::Gt(x, Set(-87)), hn::Mul(sum, hn::BitCast(D(), power)));
}

// log of a positive normal number.
HWY_INLINE V Log(V x) {
  const auto bits = hn::BitCast(DI(), x);
  const V power = hn::ConvertTo(D(), hn::Sub(hn::ShiftRight<23>(bits), hn::Set(DI(), 127)));
  const auto fraction = hn::And(bits, hn::Set(DI(), 0x7FFFFF));
  const V m = hn::BitCast(D(), hn::Or(fraction, hn::Set(DI(), 0x3F800000)));
  const V t = hn::Div(hn::Sub(m, Set(1)), hn::Add(m, Set(1)));
  const V square = hn::Mul(t, t);
  V sum = Set(1.0F / 9);
  for (const float c : {1.0F / 7, 1.0F / 5, 1.0F / 3, 1.0F}) sum = PlusProduct(sum, square, Set(c));
  return PlusProduct(power, Set(0.69314718F), hn::Mul(hn::Mul(sum, t), Set(2)));
}

HWY_INLINE V Logistic(V x) {
  const V small = Exp(hn::Neg(hn::Abs(x)));
  const V large = hn::Div(Set(1), hn::Add(Set(1), small));
  return hn::IfThenElse(hn::Ge(x, Zero()), large, hn::Mul(small, large));
}

HWY_INLINE V KernelOf(certificate::Kernel kernel, V logit, V shift) {
  switch (kernel) {
    case certificate::Kernel::kExp:
      return Exp(hn::Sub(logit, shift));
    case certificate::Kernel::kSigmoid:
      return Logistic(logit);
    case certificate::Kernel::kElu1:
      return hn::IfThenElse(hn::Ge(logit, Zero()), hn::Add(logit, Set(1)),
                            Exp(hn::Min(logit, Zero())));
    case certificate::Kernel::kRelu:
      return hn::Max(logit, Zero());
    case certificate::Kernel::kLinear:
      break;
  }
  return logit;
}

// Its derivative, by the logit and the kernel there.
HWY_INLINE V SlopeOf(certificate::Kernel kernel, V logit, V value) {
  switch (kernel) {
    case certificate::Kernel::kExp:
      return value;
    case certificate::Kernel::kSigmoid:
      return hn::Mul(value, hn::Sub(Set(1), value));
    case certificate::Kernel::kElu1:
      return hn::Min(value, Set(1));
    case certificate::Kernel::kRelu:
      return hn::IfThenElseZero(hn::Gt(logit, Zero()), Set(1));
    case certificate::Kernel::kLinear:
      break;
  }
  return Set(1);
}

// out[c] = sum over k of x[k] m[k][c], c < stride: what the lanes share times what each has.
void Product(const RowOperators& o, const float* m, const float* x, float* out) {
  for (std::size_t c = 0; c < o.stride; c += kTile) {
    V sum[kTile];
    for (V& entry : sum) entry = Zero();
    const float* row = m + c;
    for (std::size_t k = 0; k < o.n; ++k, row += o.stride) {
      const V at = At(x, k);
      for (std::size_t i = 0; i < kTile; ++i) sum[i] = PlusProduct(at, Set(row[i]), sum[i]);
    }
    for (std::size_t i = 0; i < kTile; ++i) Put(sum[i], out, c + i);
  }
}

HWY_INLINE V Dot(const float* a, const float* b, std::size_t n) {
  V sum = Zero();
  for (std::size_t k = 0; k < n; ++k) sum = PlusProduct(At(a, k), At(b, k), sum);
  return sum;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#endif
