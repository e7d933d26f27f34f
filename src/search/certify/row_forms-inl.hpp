// The rows of all lanes, and what is climbed as a function of their tokens.
// Compiled once for each instruction set, as lanes-inl.hpp.
#if defined(SINKPROOF_CERTIFY_ROW_FORMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_CERTIFY_ROW_FORMS_INL_HPP
#undef SINKPROOF_CERTIFY_ROW_FORMS_INL_HPP
#else
#define SINKPROOF_CERTIFY_ROW_FORMS_INL_HPP
#endif

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "certify/kernel.hpp"
#include "certify/lanes-inl.hpp"
#include "certify/row_ascent.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

constexpr double kImpossible = -1e300;
constexpr double kLeast = 1e-300;  // of a kernel whose logarithm is taken

// Arrays of vectors, zero at first, which live as long as this.
class Arrays {
 public:
  double* Take(std::size_t vectors) {
    double* const array =
        blocks_.emplace_back(hwy::AllocateAligned<double>(vectors * Width())).get();
    std::fill_n(array, vectors * Width(), 0.0);
    return array;
  }

 private:
  std::vector<hwy::AlignedFreeUniquePtr<double[]>> blocks_;
};

// Slots of a row: the query's own token, the distinct content keys, the trigger if it is a key,
// BOS. Everything is one vector an entry.
struct RowForms {
  explicit RowForms(const RowOperators& operators)
      : o(operators),
        n(o.n),
        slots(1 + o.types + (o.trigger_key ? 1 : 0) + 1),
        bos(slots - 1),
        moving(bos),
        vectors((2 * o.heads + 2) * slots + o.heads) {}

  struct Sums {
    V divisor;
    V output;
    V null;
    V possible;  // 0, or kImpossible
    V top;       // logit at which the kernel is 1, of the relative kinds
  };

  [[nodiscard]] std::size_t EndNoise() const { return n - 1; }
  double* Score(double* forms, std::size_t h) const { return forms + h * slots * Width(); }
  double* Value(double* forms, std::size_t h) const {
    return forms + (o.heads + h) * slots * Width();
  }
  double* Share(double* forms) const { return forms + 2 * o.heads * slots * Width(); }
  double* Count(double* forms) const { return forms + (2 * o.heads + 1) * slots * Width(); }
  double* Gate(double* forms) const { return forms + (2 * o.heads + 2) * slots * Width(); }
  double* Token(std::size_t slot) const { return tokens + slot * n * Width(); }
  double* Entry(double* base, std::size_t index, std::size_t lane) const {
    return base + index * Width() + lane;
  }
  double* ValueMap(std::size_t h) const { return values + h * n * Width(); }
  double* Query(std::size_t h) const { return query + h * o.stride * Width(); }
  [[nodiscard]] const double* Logit(std::size_t h) const {
    return o.logit.data() + h * n * o.stride;
  }
  [[nodiscard]] const double* LogitTransposed(std::size_t h) const {
    return o.logit_transposed.data() + h * n * o.stride;
  }

  HWY_INLINE V GoalSign() const { return At(sign, 0); }

  // All forms of the tokens, and each head's query vector.
  void Forward() {
    for (std::size_t h = 0; h < o.heads; ++h) {
      Product(o, Logit(h), Token(0), Query(h));
      for (std::size_t slot = 0; slot < slots; ++slot) {
        Put(Dot(Query(h), Token(slot), n), Score(now, h), slot);
        Put(Dot(ValueMap(h), Token(slot), n), Value(now, h), slot);
      }
      V gate = Set(o.gate_bias[h]);
      for (std::size_t k = 0; k < n; ++k) {
        gate = PlusProduct(At(Token(0), k), Set(o.gate_weight[h * n + k]), gate);
      }
      Put(gate, Gate(now), h);
    }
    for (std::size_t slot = 0; slot < bos; ++slot) {
      Put(Dot(share, Token(slot), n), Share(now), slot);
    }
  }

  // Number of keys beside BOS.
  HWY_INLINE V Keys(double* forms) const {
    V keys = Zero();
    for (std::size_t slot = 0; slot < bos; ++slot) keys = hn::Add(keys, At(Count(forms), slot));
    return keys;
  }

  [[nodiscard]] bool IsOwn(std::size_t slot) const {
    return !o.loss && o.slot == Slot::kBos && slot == bos;
  }

  // The largest logit; where a slot's log-odds are asked, of all the others.
  HWY_INLINE V Top(double* forms, std::size_t h) const {
    const double* score = Score(forms, h);
    V top = At(score, 0);
    for (std::size_t slot = 1; slot < slots; ++slot) {
      const Mask present = hn::Gt(At(Count(forms), slot), Zero());
      if (!IsOwn(slot)) top = hn::Max(top, hn::IfThenElse(present, At(score, slot), top));
    }
    const bool null = o.kind.null_slot && (o.loss || o.slot == Slot::kBos);
    return null ? hn::Max(top, Zero()) : top;
  }

  // Fills kernels as well.
  HWY_INLINE Sums Weigh(double* forms, std::size_t h) {
    const double* score = Score(forms, h);
    const bool relative = o.kind.is_relative();
    Sums sums{Zero(), Zero(), Zero(), Zero(), Zero()};
    if (relative) sums.top = Top(forms, h);
    if (o.kind.null_slot) sums.null = Exp(hn::Min(hn::Neg(sums.top), Set(700)));
    if (relative && !o.kind.null_slot && o.loss) {
      const V beyond = Set(static_cast<double>(kMostExpArgument));
      const Mask bad = hn::Gt(hn::Sub(sums.top, At(score, bos)), beyond);
      sums.possible = hn::IfThenElseZero(bad, Set(kImpossible));
    }
    sums.divisor = sums.null;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      // A slot without keys, or the one whose odds are asked, may lie above the top.
      const V logit = relative ? hn::Min(At(score, slot), sums.top) : At(score, slot);
      const V kernel = KernelOf(o.kind.kernel, logit, sums.top);
      Put(kernel, kernels, slot);
      const V counted = hn::Mul(kernel, At(Count(forms), slot));
      sums.divisor = hn::Add(sums.divisor, counted);
      sums.output = PlusProduct(counted, At(Value(forms, h), slot), sums.output);
    }
    if (!o.kind.normalised) sums.divisor = Keys(forms);
    sums.output = hn::Div(sums.output, sums.divisor);
    return sums;
  }

  // All kernels but that of the slot whose odds are asked.
  HWY_INLINE V Others(double* forms, const Sums& sums) const {
    V others = o.slot == Slot::kBos ? sums.null : At(kernels, bos);
    for (std::size_t slot = 0; slot < bos; ++slot) {
      others = PlusProduct(At(kernels, slot), At(Count(forms), slot), others);
    }
    return hn::Max(others, Set(kLeast));
  }

  HWY_INLINE V LogOdds(double* forms, const Sums& sums) const {
    V own = hn::Neg(sums.top);
    if (o.slot == Slot::kBos) {
      own = o.kind.is_relative() ? hn::Sub(At(Score(forms, 0), bos), sums.top)
                                 : Log(hn::Max(At(kernels, bos), Set(kLeast)));
    }
    return hn::Sub(own, Log(Others(forms, sums)));
  }

  V Goal(double* forms) {
    V goal = At(constant, 0);
    V possible = Zero();
    for (std::size_t h = 0; h < o.heads; ++h) {
      const Sums sums = Weigh(forms, h);
      if (!o.loss) return hn::Mul(GoalSign(), LogOdds(forms, sums));
      possible = hn::Min(possible, sums.possible);
      V out = sums.output;
      if (o.kind.gated) out = hn::Mul(out, Logistic(At(Gate(forms), h)));
      goal = hn::Add(goal, out);
    }
    if (o.trigger_row) {
      V target = Zero();
      for (std::size_t slot = 0; slot < bos; ++slot) {
        target = PlusProduct(At(Count(forms), slot), At(Share(forms), slot), target);
      }
      goal = hn::Sub(goal, hn::Div(target, Keys(forms)));
    }
    goal = hn::Add(goal, possible);
    return hn::IfThenElse(hn::Eq(goal, goal), goal, Set(kImpossible));  // NaN: all underflow
  }

  const RowOperators& o;
  std::size_t n, slots, bos, moving;
  std::size_t vectors;  // of `now`
  Arrays arrays;
  double* tokens = arrays.Take(slots * n);    // [slot][n]
  double* values = arrays.Take(o.heads * n);  // [head][n] sign * row r of V
  double* share = arrays.Take(n);             // [n] sign * X[r] where the target has it
  // Logits and values [head][slot], shares of the target and counts [slot], logits of the gates
  // [head].
  double* now = arrays.Take(vectors);
  double* query = arrays.Take(o.heads * o.stride);  // [head][stride] M^T x
  double* kernels = arrays.Take(slots);             // [slot]
  double* constant = arrays.Take(1);                // [1] sign * what is added to every output
  double* sign = arrays.Take(1);                    // [1] of the goal
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#endif
