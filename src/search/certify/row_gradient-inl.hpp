// The gradient of the goal of row_forms-inl.hpp by the tokens.
// Compiled once for each instruction set, as lanes-inl.hpp.
#if defined(SINKPROOF_CERTIFY_ROW_GRADIENT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_CERTIFY_ROW_GRADIENT_INL_HPP
#undef SINKPROOF_CERTIFY_ROW_GRADIENT_INL_HPP
#else
#define SINKPROOF_CERTIFY_ROW_GRADIENT_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "certify/row_forms-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

class RowGradient {
 public:
  static constexpr std::size_t kScoreSteps = 3;  // of those that first climb their logits

  // `rows` must outlive it.
  explicit RowGradient(RowForms& rows) : rows_(rows) {}

  HWY_INLINE Mask ByScore() const { return hn::Gt(At(by_score_, 0), Zero()); }

  // The gradient by the tokens, all keys of a slot. Needs Forward.
  void Compute(std::size_t step) {
    std::fill_n(gradient_, rows_.moving * rows_.n * Width(), 0.0);
    const V keys = rows_.Keys(rows_.now);
    for (std::size_t h = 0; h < rows_.o.heads; ++h) {
      const RowForms::Sums sums = rows_.Weigh(rows_.now, h);
      Slopes(h, sums);
      if (step < kScoreSteps) ClimbScores(h);
      std::fill_n(pooled_, rows_.o.stride * Width(), 0.0);
      for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
        const V slope = At(slopes_, slot);
        const V weight = At(weights_, slot);
        for (std::size_t k = 0; k < rows_.n; ++k) {
          Add(hn::Mul(slope, At(rows_.Token(slot), k)), pooled_, k);
        }
        if (slot == rows_.bos) continue;
        double* gradient = gradient_ + slot * rows_.n * Width();
        for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) {
          const V by_value = hn::Mul(weight, At(rows_.ValueMap(h), k));
          Add(PlusProduct(slope, At(rows_.Query(h), k), by_value), gradient, k);
        }
      }
      Product(rows_.o, rows_.LogitTransposed(h), pooled_, back_);
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) Add(At(back_, k), gradient_, k);
      if (rows_.o.loss && rows_.o.kind.gated) AddGateGradient(h, sums.output);
    }
    if (!rows_.o.loss || !rows_.o.trigger_row) return;
    for (std::size_t slot = 0; slot < rows_.bos; ++slot) {
      const V share = hn::Neg(hn::Div(At(rows_.Count(rows_.now), slot), keys));
      double* gradient = gradient_ + slot * rows_.n * Width();
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) {
        Add(hn::Mul(share, At(rows_.share, k)), gradient, k);
      }
    }
  }

  // What a climb begins with, set by Group; and what Compute gave.
  double* direction() const { return direction_; }
  double* by_score() const { return by_score_; }
  double* gradient() const { return gradient_; }

 private:
  // slopes_: of the goal by each logit; weights_: by each value. In both all keys of a slot.
  HWY_INLINE void Slopes(std::size_t h, const RowForms::Sums& sums) {
    V gate = Set(1);
    if (rows_.o.loss && rows_.o.kind.gated) gate = Logistic(At(rows_.Gate(rows_.now), h));
    const V reference = rows_.o.kind.normalised ? sums.output : Zero();
    for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
      const V count = At(rows_.Count(rows_.now), slot);
      const V kernel = At(rows_.kernels, slot);
      const V slope =
          hn::Mul(count, SlopeOf(rows_.o.kind.kernel, At(rows_.Score(rows_.now, h), slot), kernel));
      if (!rows_.o.loss) {
        const V log_slope =
            hn::Div(SlopeOf(rows_.o.kind.kernel, At(rows_.Score(rows_.now, h), slot), kernel),
                    hn::Max(kernel, Set(kLeast)));
        const V own = rows_.o.kind.is_relative() ? Set(1) : log_slope;
        const V by =
            rows_.IsOwn(slot) ? own : hn::Neg(hn::Div(slope, rows_.Others(rows_.now, sums)));
        Put(hn::Mul(rows_.GoalSign(), by), slopes_, slot);
        Put(Zero(), weights_, slot);
        continue;
      }
      const V scale = hn::Div(gate, sums.divisor);
      const V above = hn::Sub(At(rows_.Value(rows_.now, h), slot), reference);
      Put(hn::Mul(hn::Mul(slope, above), scale), slopes_, slot);
      Put(hn::Mul(hn::Mul(count, kernel), scale), weights_, slot);
    }
  }

  // In the first steps of those that climb their logits first, these are what is climbed.
  HWY_INLINE void ClimbScores(std::size_t h) {
    const Mask by_score = ByScore();
    for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
      const V direction = At(direction_, h * rows_.slots + slot);
      Put(hn::IfThenElse(by_score, direction, At(slopes_, slot)), slopes_, slot);
      Put(hn::IfThenElse(by_score, Zero(), At(weights_, slot)), weights_, slot);
    }
  }

  HWY_INLINE void AddGateGradient(std::size_t h, V output) {
    const V gate = Logistic(At(rows_.Gate(rows_.now), h));
    const V slope = hn::Mul(output, hn::Mul(gate, hn::Sub(Set(1), gate)));
    for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) {
      Add(hn::Mul(slope, Set(rows_.o.gate_weight[h * rows_.n + k])), gradient_, k);
    }
  }

  RowForms& rows_;
  double* gradient_ = rows_.arrays.Take(rows_.slots * rows_.n);  // [slot][n]
  double* slopes_ = rows_.arrays.Take(rows_.slots);              // [slot]
  double* weights_ = rows_.arrays.Take(rows_.slots);             // [slot]
  // [head][slot] which logits are climbed first
  double* direction_ = rows_.arrays.Take(rows_.o.heads * rows_.slots);
  double* pooled_ = rows_.arrays.Take(rows_.o.stride);  // [stride]
  double* back_ = rows_.arrays.Take(rows_.o.stride);    // [stride]
  double* by_score_ = rows_.arrays.Take(1);             // [1] 1: first climbs logits
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#endif
