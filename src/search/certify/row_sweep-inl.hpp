// Flips: what a row gains by one change of a coordinate or of how many keys are alike.
// Compiled once for each instruction set, as lanes-inl.hpp.
#if defined(SINKPROOF_CERTIFY_ROW_SWEEP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_CERTIFY_ROW_SWEEP_INL_HPP
#undef SINKPROOF_CERTIFY_ROW_SWEEP_INL_HPP
#else
#define SINKPROOF_CERTIFY_ROW_SWEEP_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "certify/row_forms-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

class RowSweep {
 public:
  // `rows` must outlive it.
  explicit RowSweep(RowForms& rows) : rows_(rows) {}

  // Every coordinate to the other end, every change of the counts. Returns whether any gained.
  bool Sweep(V& best) {
    for (std::size_t h = 0; h < rows_.o.heads; ++h) {
      for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
        Product(rows_.o, rows_.LogitTransposed(h), rows_.Token(slot), Pull(h, slot));
      }
    }
    bool gained = false;
    for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) gained |= FlipQuery(k, best);
    for (std::size_t slot = 1; slot < rows_.moving; ++slot) {
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) gained |= FlipKey(slot, k, best);
    }
    for (std::size_t from = 1; from <= rows_.o.types; ++from) {
      gained |= ChangeRow(from, best);
      for (std::size_t to = 1; to <= rows_.o.types; ++to) {
        if (from != to) gained |= MoveKeys(from, to, best);
      }
    }
    return gained;
  }

 private:
  double* Pull(std::size_t h, std::size_t slot) const {
    return pull_ + (h * rows_.slots + slot) * rows_.o.stride * Width();
  }

  // Takes what `change` makes of the forms where that is better. Returns where.
  template <typename Change>
  HWY_INLINE Mask Try(V& best, const Change& change) {
    std::copy_n(rows_.now, rows_.vectors * Width(), trial_);
    change(trial_);
    const V goal = rows_.Goal(trial_);
    // A gain below rounding would go back and forth.
    const Mask better = hn::Gt(goal, PlusProduct(hn::Abs(best), Set(1e-9), best));
    if (hn::AllFalse(D(), better)) return better;
    best = hn::IfThenElse(better, goal, best);
    for (std::size_t i = 0; i < rows_.vectors; ++i) {
      Put(hn::IfThenElse(better, At(trial_, i), At(rows_.now, i)), rows_.now, i);
    }
    return better;
  }

  HWY_INLINE V Flip(std::size_t slot, std::size_t k) const {
    const V at = At(rows_.Token(slot), k);
    return hn::Sub(hn::CopySign(Set(1), hn::Neg(at)), at);
  }

  bool FlipQuery(std::size_t k, V& best) {
    const V flip = Flip(0, k);
    const Mask better = Try(best, [&](double* forms) {
      for (std::size_t h = 0; h < rows_.o.heads; ++h) {
        for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
          Add(hn::Mul(flip, At(Pull(h, slot), k)), rows_.Score(forms, h), slot);
        }
        const V square = hn::Mul(flip, Set(rows_.Logit(h)[k * rows_.o.stride + k]));
        Add(hn::Mul(flip, hn::Add(At(rows_.Query(h), k), square)), rows_.Score(forms, h), 0);
        Add(hn::Mul(flip, At(rows_.ValueMap(h), k)), rows_.Value(forms, h), 0);
        Add(hn::Mul(flip, Set(rows_.o.gate_weight[h * rows_.n + k])), rows_.Gate(forms), h);
      }
      Add(hn::Mul(flip, At(rows_.share, k)), rows_.Share(forms), 0);
    });
    if (hn::AllFalse(D(), better)) return false;
    const V taken = hn::IfThenElseZero(better, flip);
    Add(taken, rows_.Token(0), k);
    for (std::size_t h = 0; h < rows_.o.heads; ++h) {
      const double* row = rows_.Logit(h) + k * rows_.o.stride;
      const double* column = rows_.LogitTransposed(h) + k * rows_.o.stride;
      for (std::size_t c = 0; c < rows_.n; ++c) {
        Add(hn::Mul(taken, Set(row[c])), rows_.Query(h), c);
        Add(hn::Mul(taken, Set(column[c])), Pull(h, 0), c);
      }
    }
    return true;
  }

  bool FlipKey(std::size_t slot, std::size_t k, V& best) {
    const V flip = Flip(slot, k);
    const Mask better = Try(best, [&](double* forms) {
      for (std::size_t h = 0; h < rows_.o.heads; ++h) {
        Add(hn::Mul(flip, At(rows_.Query(h), k)), rows_.Score(forms, h), slot);
        Add(hn::Mul(flip, At(rows_.ValueMap(h), k)), rows_.Value(forms, h), slot);
      }
      Add(hn::Mul(flip, At(rows_.share, k)), rows_.Share(forms), slot);
    });
    if (hn::AllFalse(D(), better)) return false;
    Add(hn::IfThenElseZero(better, flip), rows_.Token(slot), k);
    return true;
  }

  // More or fewer keys of a kind: one, or all there may be.
  bool ChangeRow(std::size_t slot, V& best) {
    bool gained = false;
    const double fixed = rows_.o.trigger_key ? 2 : 1;
    for (const bool all : {false, true}) {
      for (const bool more : {true, false}) {
        const Mask better = Try(best, [&](double* forms) {
          const V content = hn::Sub(rows_.Keys(forms), Set(fixed));
          const V own = At(rows_.Count(forms), slot);
          const V limit = more ? hn::Sub(Set(static_cast<double>(rows_.o.most_content)), content)
                               : hn::Min(own, hn::Sub(content, Set(LeastContent())));
          const V change = all ? limit : hn::Min(limit, Set(1));
          Add(more ? change : hn::Neg(change), rows_.Count(forms), slot);
        });
        gained |= !hn::AllFalse(D(), better);
      }
    }
    return gained;
  }

  [[nodiscard]] double LeastContent() const { return static_cast<double>(rows_.o.least_content); }

  // One or all keys of a kind become keys of another.
  bool MoveKeys(std::size_t from, std::size_t to, V& best) {
    bool gained = false;
    for (const bool all : {false, true}) {
      const Mask better = Try(best, [&](double* forms) {
        const V own = At(rows_.Count(forms), from);
        const V change = all ? own : hn::Min(own, Set(1));
        Add(hn::Neg(change), rows_.Count(forms), from);
        Add(change, rows_.Count(forms), to);
      });
      gained |= !hn::AllFalse(D(), better);
    }
    return gained;
  }

  RowForms& rows_;
  double* trial_ = rows_.arrays.Take(rows_.vectors);  // as rows_.now
  // [head][slot][stride] M y
  double* pull_ = rows_.arrays.Take(rows_.o.heads * rows_.slots * rows_.o.stride);
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#endif
