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

constexpr std::size_t kMostLanes = 8;
constexpr std::size_t kTile = RowOperators::kTile;  // accumulators of a product

using D = hn::CappedTag<double, kMostLanes>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

std::size_t Width() { return hn::Lanes(D()); }
HWY_INLINE V Set(double x) { return hn::Set(D(), x); }
HWY_INLINE V Zero() { return hn::Zero(D()); }
HWY_INLINE V At(const double* base, std::size_t index) {
  return hn::Load(D(), base + index * Width());
}
HWY_INLINE void Put(V value, double* base, std::size_t index) {
  hn::Store(value, D(), base + index * Width());
}
HWY_INLINE void Add(V value, double* base, std::size_t index) {
  Put(hn::Add(At(base, index), value), base, index);
}
// a b + c, rounded twice: no instruction set fuses it.
HWY_INLINE V PlusProduct(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }

// Added to a whole number from 0 to 2^52, leaves it in the last bits.
constexpr double kWhole = 0x1p52;

// exp of x <= 709; 0 below -708.
HWY_INLINE V Exp(V x) {
  const V whole = hn::Round(hn::Mul(x, Set(0x1.71547652b82fep0)));
  V rest = PlusProduct(whole, Set(-0x1.62e42fefap-1), x);
  rest = PlusProduct(whole, Set(-0x1.cf79abc9e3b3ap-40), rest);
  V sum = Set(1);
  for (int n = 13; n > 0; --n) sum = PlusProduct(hn::Mul(sum, rest), Set(1.0 / n), Set(1));
  const V kept = hn::Min(hn::Max(whole, Set(-1022)), Set(1023));
  const auto power = hn::ShiftLeft<52>(hn::BitCast(DU(), hn::Add(kept, Set(kWhole + 1023))));
  return hn::IfThenElseZero(hn::Gt(x, Set(-708)), hn::Mul(sum, hn::BitCast(D(), power)));
}

// log of a positive normal number.
HWY_INLINE V Log(V x) {
  const auto bits = hn::BitCast(DU(), x);
  const auto whole = hn::Or(hn::ShiftRight<52>(bits), hn::BitCast(DU(), Set(kWhole)));
  const V power = hn::Sub(hn::BitCast(D(), whole), Set(kWhole + 1023));
  const auto fraction = hn::And(bits, hn::Set(DU(), (std::uint64_t{1} << 52U) - 1));
  const V m = hn::BitCast(D(), hn::Or(fraction, hn::BitCast(DU(), Set(1))));
  const V t = hn::Div(hn::Sub(m, Set(1)), hn::Add(m, Set(1)));
  const V square = hn::Mul(t, t);
  V sum = Zero();
  for (int n = 31; n > 0; n -= 2) sum = PlusProduct(sum, square, Set(1.0 / n));
  return PlusProduct(power, Set(0x1.62e42fefa39efp-1), hn::Mul(hn::Mul(sum, t), Set(2)));
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
void Product(const RowOperators& o, const double* m, const double* x, double* out) {
  for (std::size_t c = 0; c < o.stride; c += kTile) {
    V sum[kTile];
    for (V& entry : sum) entry = Zero();
    const double* row = m + c;
    for (std::size_t k = 0; k < o.n; ++k, row += o.stride) {
      const V at = At(x, k);
      for (std::size_t i = 0; i < kTile; ++i) sum[i] = PlusProduct(at, Set(row[i]), sum[i]);
    }
    for (std::size_t i = 0; i < kTile; ++i) Put(sum[i], out, c + i);
  }
}

HWY_INLINE V Dot(const double* a, const double* b, std::size_t n) {
  V sum = Zero();
  for (std::size_t k = 0; k < n; ++k) sum = PlusProduct(At(a, k), At(b, k), sum);
  return sum;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#endif
