#include "certify/row_ascent.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
// Processors that end at SSSE3 (before 2008) take the scalar target: each target costs seconds
// here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/row_ascent.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <utility>

#include "certify/kernel.hpp"
#include "certify/lanes-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

constexpr double kImpossible = -1e300;
constexpr double kLeast = 1e-300;  // of a kernel whose logarithm is taken

// Slots of a row: the query's own token, the distinct content keys, the trigger if it is a key,
// BOS. Everything is one vector an entry.
class Group {
 public:
  explicit Group(const RowOperators& operators)
      : o_(operators),
        n_(o_.n),
        slots_(1 + o_.types + (o_.trigger_key ? 1 : 0) + 1),
        bos_(slots_ - 1),
        moving_(bos_),
        forms_((2 * o_.heads + 2) * slots_ + o_.heads) {
    Place();
    memory_ = hwy::AllocateAligned<double>(vectors_ * Width());
    std::fill_n(memory_.get(), vectors_ * Width(), 0.0);
    random_ = hwy::AllocateAligned<std::uint64_t>(Width());
    Place();
  }

  // Where a lane's peak is above its start's, it goes there.
  void Climb(std::span<const RowStart> starts, std::size_t steps, std::span<RowPeak*> peaks) {
    Begin(starts);
    V best = Set(-HUGE_VAL);
    for (std::size_t step = 0; step <= steps; ++step) {
      Forward();
      best = KeepBest(best);
      if (step == steps) break;
      Gradient(step);
      Move(step, steps);
    }
    std::copy_n(best_tokens_, moving_ * n_ * Width(), tokens_);
    constexpr int kSweeps = 12;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      Forward();
      best = Goal(now_);
      if (!Sweep(best)) break;
    }
    Forward();
    best = Goal(now_);
    Put(best, pooled_, 0);
    for (std::size_t lane = 0; lane < starts.size(); ++lane) {
      const double value = *Entry(pooled_, 0, lane);
      if (peaks[lane]->row == 0 || value > peaks[lane]->value) *peaks[lane] = Peak(lane, value);
    }
  }

  RowAscent::Slope SlopeAt(const RowStart& start) {
    Begin({&start, 1});
    Forward();
    Gradient(kScoreSteps);
    RowAscent::Slope result;
    Put(Goal(now_), pooled_, 0);
    result.at = Peak(0, *Entry(pooled_, 0, 0));
    for (const auto& [slot, k] : Variables(0)) {
      const double counted = *Entry(Count(now_), slot, 0);
      result.gradient.push_back(*Entry(gradient_, slot * n_ + k, 0) / counted);
    }
    return result;
  }

 private:
  static constexpr std::size_t kScoreSteps = 3;  // of those that first climb their logits

  [[nodiscard]] std::size_t EndNoise() const { return n_ - 1; }
  double* Score(double* forms, std::size_t h) const { return forms + h * slots_ * Width(); }
  double* Value(double* forms, std::size_t h) const {
    return forms + (o_.heads + h) * slots_ * Width();
  }
  double* Share(double* forms) const { return forms + 2 * o_.heads * slots_ * Width(); }
  double* Count(double* forms) const { return forms + (2 * o_.heads + 1) * slots_ * Width(); }
  double* Gate(double* forms) const { return forms + (2 * o_.heads + 2) * slots_ * Width(); }
  double* Token(std::size_t slot) const { return tokens_ + slot * n_ * Width(); }
  double* Entry(double* base, std::size_t index, std::size_t lane) const {
    return base + index * Width() + lane;
  }
  double* ValueMap(std::size_t h) const { return values_ + h * n_ * Width(); }
  double* Query(std::size_t h) const { return query_ + h * o_.stride * Width(); }
  double* Pull(std::size_t h, std::size_t slot) const {
    return pull_ + (h * slots_ + slot) * o_.stride * Width();
  }
  [[nodiscard]] const double* Logit(std::size_t h) const {
    return o_.logit.data() + h * n_ * o_.stride;
  }
  [[nodiscard]] const double* LogitTransposed(std::size_t h) const {
    return o_.logit_transposed.data() + h * n_ * o_.stride;
  }

  void Place() {
    vectors_ = 0;
    const auto take = [&](std::size_t count) {
      double* const at = memory_ ? memory_.get() + vectors_ * Width() : nullptr;
      vectors_ += count;
      return at;
    };
    tokens_ = take(slots_ * n_);
    best_tokens_ = take(slots_ * n_);
    gradient_ = take(slots_ * n_);
    values_ = take(o_.heads * n_);
    share_ = take(n_);
    now_ = take(forms_);
    trial_ = take(forms_);
    query_ = take(o_.heads * o_.stride);
    pull_ = take(o_.heads * slots_ * o_.stride);
    kernels_ = take(slots_);
    slopes_ = take(slots_);
    weights_ = take(slots_);
    direction_ = take(o_.heads * slots_);
    pooled_ = take(o_.stride);
    back_ = take(o_.stride);
    constant_ = take(1);
    sign_ = take(1);
    by_score_ = take(1);
    by_vertex_ = take(1);
  }

  // Random words of each lane, whatever the number of lanes.
  HWY_INLINE hn::Vec<DU> Word() {
    auto word = hn::Load(DU(), random_.get());
    word = hn::Xor(word, hn::ShiftLeft<13>(word));
    word = hn::Xor(word, hn::ShiftRight<7>(word));
    word = hn::Xor(word, hn::ShiftLeft<17>(word));
    hn::Store(word, DU(), random_.get());
    return word;
  }
  HWY_INLINE V Sign() {
    const auto top = hn::And(Word(), hn::Set(DU(), std::uint64_t{1} << 63U));
    return hn::BitCast(D(), hn::Or(top, hn::BitCast(DU(), Set(1))));
  }
  HWY_INLINE Mask Chance(double share) {
    const auto fraction = hn::Or(hn::ShiftRight<12>(Word()), hn::BitCast(DU(), Set(1)));
    return hn::Lt(hn::BitCast(D(), fraction), Set(1 + share));
  }

  HWY_INLINE V GoalSign() const { return At(sign_, 0); }
  HWY_INLINE Mask ByScore() const { return hn::Gt(At(by_score_, 0), Zero()); }
  HWY_INLINE Mask ByVertex() const { return hn::Gt(At(by_vertex_, 0), Zero()); }

  // Lanes without a start repeat the first.
  void Begin(std::span<const RowStart> starts) {
    for (std::size_t lane = 0; lane < Width(); ++lane) {
      BeginLane(starts[lane < starts.size() ? lane : 0], lane);
    }
    for (std::size_t slot = 0; slot < moving_; ++slot) {
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) Put(Sign(), Token(slot), k);
    }
    const Mask by_score = ByScore();
    for (std::size_t i = 0; i < o_.heads * slots_; ++i) {
      Put(hn::IfThenElseZero(by_score, hn::Mul(Sign(), At(direction_, i))), direction_, i);
    }
  }

  void BeginLane(const RowStart& start, std::size_t lane) {
    std::uint64_t state = o_.seed ^ (start.stream * 0x9E3779B97F4A7C15U);
    const auto next = [&state] {  // splitmix64
      std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
      z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
      z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
      return z ^ (z >> 31U);
    };
    const auto sign = static_cast<double>(start.sign);
    random_[lane] = next() | 1U;
    *Entry(constant_, 0, lane) = sign * o_.constant[start.coordinate];
    *Entry(sign_, 0, lane) = sign;
    *Entry(by_score_, 0, lane) = start.stream % 2 == 0 ? 1.0 : 0.0;
    *Entry(by_vertex_, 0, lane) = start.stream / 2 % 2 == 0 ? 1.0 : 0.0;
    for (std::size_t h = 0; h < o_.heads; ++h) {
      const double* row = o_.value.data() + (h * n_ + start.coordinate) * n_;
      for (std::size_t c = 0; c < n_; ++c) *Entry(ValueMap(h), c, lane) = sign * row[c];
    }
    const bool target = o_.loss && o_.trigger_row;
    for (std::size_t c = 0; c < n_; ++c) {
      const double part = o_.token[start.coordinate * n_ + c];
      *Entry(share_, c, lane) = target && c != kBosFlag ? sign * part : 0.0;
    }
    const std::size_t head = next() % o_.heads;
    for (std::size_t h = 0; h < o_.heads; ++h) {
      for (std::size_t slot = 0; slot < moving_; ++slot) {
        *Entry(direction_, h * slots_ + slot, lane) = h == head ? 1.0 : 0.0;
      }
    }
    BeginFlagsAndCounts(start, lane, next);
  }

  template <typename Next>
  void BeginFlagsAndCounts(const RowStart& start, std::size_t lane, const Next& next) {
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const bool trigger = slot == 0 ? o_.trigger_row : slot > o_.types;
      const std::size_t flag = slot == bos_ ? kBosFlag : trigger ? kTriggerFlag : n_ - 1;
      for (const std::size_t c : {kBosFlag, kTriggerFlag, n_ - 1}) {
        *Entry(Token(slot), c, lane) = c == flag ? 1.0 : 0.0;
      }
      const bool type = slot > 0 && slot <= o_.types;
      *Entry(Count(now_), slot, lane) = type ? 0.0 : 1.0;
    }
    const std::size_t fixed = o_.trigger_key ? 2 : 1;
    const bool alike = start.stream / 4 % 2 == 0;
    std::uint64_t left = start.row - 1 - fixed;
    for (std::size_t slot = o_.types; slot > 1 && !alike; --slot) {
      const std::uint64_t some = next() % (left + 1);
      *Entry(Count(now_), slot, lane) = static_cast<double>(some);
      left -= some;
    }
    *Entry(Count(now_), 1, lane) = static_cast<double>(left);
  }

  // All forms of the tokens, and each head's query vector.
  void Forward() {
    for (std::size_t h = 0; h < o_.heads; ++h) {
      Product(o_, Logit(h), Token(0), Query(h));
      for (std::size_t slot = 0; slot < slots_; ++slot) {
        Put(Dot(Query(h), Token(slot), n_), Score(now_, h), slot);
        Put(Dot(ValueMap(h), Token(slot), n_), Value(now_, h), slot);
      }
      V gate = Set(o_.gate_bias[h]);
      for (std::size_t k = 0; k < n_; ++k) {
        gate = PlusProduct(At(Token(0), k), Set(o_.gate_weight[h * n_ + k]), gate);
      }
      Put(gate, Gate(now_), h);
    }
    for (std::size_t slot = 0; slot < bos_; ++slot) {
      Put(Dot(share_, Token(slot), n_), Share(now_), slot);
    }
  }

  struct Sums {
    V divisor;
    V output;
    V null;
    V possible;  // 0, or kImpossible
    V top;       // logit at which the kernel is 1, of the relative kinds
  };

  // Number of keys beside BOS.
  HWY_INLINE V Keys(double* forms) const {
    V keys = Zero();
    for (std::size_t slot = 0; slot < bos_; ++slot) keys = hn::Add(keys, At(Count(forms), slot));
    return keys;
  }

  [[nodiscard]] bool IsOwn(std::size_t slot) const {
    return !o_.loss && o_.slot == Slot::kBos && slot == bos_;
  }

  // The largest logit; where a slot's log-odds are asked, of all the others.
  HWY_INLINE V Top(double* forms, std::size_t h) const {
    const double* score = Score(forms, h);
    V top = At(score, 0);
    for (std::size_t slot = 1; slot < slots_; ++slot) {
      const Mask present = hn::Gt(At(Count(forms), slot), Zero());
      if (!IsOwn(slot)) top = hn::Max(top, hn::IfThenElse(present, At(score, slot), top));
    }
    const bool null = o_.kind.null_slot && (o_.loss || o_.slot == Slot::kBos);
    return null ? hn::Max(top, Zero()) : top;
  }

  // Fills kernels_ as well.
  HWY_INLINE Sums Weigh(double* forms, std::size_t h) {
    const double* score = Score(forms, h);
    const bool relative = o_.kind.is_relative();
    Sums sums{Zero(), Zero(), Zero(), Zero(), Zero()};
    if (relative) sums.top = Top(forms, h);
    if (o_.kind.null_slot) sums.null = Exp(hn::Min(hn::Neg(sums.top), Set(700)));
    if (relative && !o_.kind.null_slot && o_.loss) {
      const V beyond = Set(static_cast<double>(kMostExpArgument));
      const Mask bad = hn::Gt(hn::Sub(sums.top, At(score, bos_)), beyond);
      sums.possible = hn::IfThenElseZero(bad, Set(kImpossible));
    }
    sums.divisor = sums.null;
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      // A slot without keys, or the one whose odds are asked, may lie above the top.
      const V logit = relative ? hn::Min(At(score, slot), sums.top) : At(score, slot);
      const V kernel = KernelOf(o_.kind.kernel, logit, sums.top);
      Put(kernel, kernels_, slot);
      const V counted = hn::Mul(kernel, At(Count(forms), slot));
      sums.divisor = hn::Add(sums.divisor, counted);
      sums.output = PlusProduct(counted, At(Value(forms, h), slot), sums.output);
    }
    if (!o_.kind.normalised) sums.divisor = Keys(forms);
    sums.output = hn::Div(sums.output, sums.divisor);
    return sums;
  }

  // All kernels but that of the slot whose odds are asked.
  HWY_INLINE V Others(double* forms, const Sums& sums) const {
    V others = o_.slot == Slot::kBos ? sums.null : At(kernels_, bos_);
    for (std::size_t slot = 0; slot < bos_; ++slot) {
      others = PlusProduct(At(kernels_, slot), At(Count(forms), slot), others);
    }
    return hn::Max(others, Set(kLeast));
  }

  HWY_INLINE V LogOdds(double* forms, const Sums& sums) const {
    V own = hn::Neg(sums.top);
    if (o_.slot == Slot::kBos) {
      own = o_.kind.is_relative() ? hn::Sub(At(Score(forms, 0), bos_), sums.top)
                                  : Log(hn::Max(At(kernels_, bos_), Set(kLeast)));
    }
    return hn::Sub(own, Log(Others(forms, sums)));
  }

  V Goal(double* forms) {
    V goal = At(constant_, 0);
    V possible = Zero();
    for (std::size_t h = 0; h < o_.heads; ++h) {
      const Sums sums = Weigh(forms, h);
      if (!o_.loss) return hn::Mul(GoalSign(), LogOdds(forms, sums));
      possible = hn::Min(possible, sums.possible);
      V out = sums.output;
      if (o_.kind.gated) out = hn::Mul(out, Logistic(At(Gate(forms), h)));
      goal = hn::Add(goal, out);
    }
    if (o_.trigger_row) {
      V target = Zero();
      for (std::size_t slot = 0; slot < bos_; ++slot) {
        target = PlusProduct(At(Count(forms), slot), At(Share(forms), slot), target);
      }
      goal = hn::Sub(goal, hn::Div(target, Keys(forms)));
    }
    goal = hn::Add(goal, possible);
    return hn::IfThenElse(hn::Eq(goal, goal), goal, Set(kImpossible));  // NaN: all underflow
  }

  HWY_INLINE V KeepBest(V best) {
    const V goal = Goal(now_);
    const Mask better = hn::Gt(goal, best);
    for (std::size_t i = 0; i < moving_ * n_; ++i) {
      Put(hn::IfThenElse(better, At(tokens_, i), At(best_tokens_, i)), best_tokens_, i);
    }
    return hn::Max(goal, best);
  }

  // slopes_: of the goal by each logit; weights_: by each value. In both all keys of a slot.
  HWY_INLINE void Slopes(std::size_t h, const Sums& sums) {
    V gate = Set(1);
    if (o_.loss && o_.kind.gated) gate = Logistic(At(Gate(now_), h));
    const V reference = o_.kind.normalised ? sums.output : Zero();
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const V count = At(Count(now_), slot);
      const V kernel = At(kernels_, slot);
      const V slope = hn::Mul(count, SlopeOf(o_.kind.kernel, At(Score(now_, h), slot), kernel));
      if (!o_.loss) {
        const V log_slope = hn::Div(SlopeOf(o_.kind.kernel, At(Score(now_, h), slot), kernel),
                                    hn::Max(kernel, Set(kLeast)));
        const V own = o_.kind.is_relative() ? Set(1) : log_slope;
        const V by = IsOwn(slot) ? own : hn::Neg(hn::Div(slope, Others(now_, sums)));
        Put(hn::Mul(GoalSign(), by), slopes_, slot);
        Put(Zero(), weights_, slot);
        continue;
      }
      const V scale = hn::Div(gate, sums.divisor);
      const V above = hn::Sub(At(Value(now_, h), slot), reference);
      Put(hn::Mul(hn::Mul(slope, above), scale), slopes_, slot);
      Put(hn::Mul(hn::Mul(count, kernel), scale), weights_, slot);
    }
  }

  // In the first steps of those that climb their logits first, these are what is climbed.
  HWY_INLINE void ClimbScores(std::size_t h) {
    const Mask by_score = ByScore();
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const V direction = At(direction_, h * slots_ + slot);
      Put(hn::IfThenElse(by_score, direction, At(slopes_, slot)), slopes_, slot);
      Put(hn::IfThenElse(by_score, Zero(), At(weights_, slot)), weights_, slot);
    }
  }

  // The gradient by the tokens, all keys of a slot. Needs Forward.
  void Gradient(std::size_t step) {
    std::fill_n(gradient_, moving_ * n_ * Width(), 0.0);
    const V keys = Keys(now_);
    for (std::size_t h = 0; h < o_.heads; ++h) {
      const Sums sums = Weigh(now_, h);
      Slopes(h, sums);
      if (step < kScoreSteps) ClimbScores(h);
      std::fill_n(pooled_, o_.stride * Width(), 0.0);
      for (std::size_t slot = 0; slot < slots_; ++slot) {
        const V slope = At(slopes_, slot);
        const V weight = At(weights_, slot);
        for (std::size_t k = 0; k < n_; ++k) Add(hn::Mul(slope, At(Token(slot), k)), pooled_, k);
        if (slot == bos_) continue;
        double* gradient = gradient_ + slot * n_ * Width();
        for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) {
          const V by_value = hn::Mul(weight, At(ValueMap(h), k));
          Add(PlusProduct(slope, At(Query(h), k), by_value), gradient, k);
        }
      }
      Product(o_, LogitTransposed(h), pooled_, back_);
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) Add(At(back_, k), gradient_, k);
      if (o_.loss && o_.kind.gated) AddGateGradient(h, sums.output);
    }
    if (!o_.loss || !o_.trigger_row) return;
    for (std::size_t slot = 0; slot < bos_; ++slot) {
      const V share = hn::Neg(hn::Div(At(Count(now_), slot), keys));
      double* gradient = gradient_ + slot * n_ * Width();
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) {
        Add(hn::Mul(share, At(share_, k)), gradient, k);
      }
    }
  }

  HWY_INLINE void AddGateGradient(std::size_t h, V output) {
    const V gate = Logistic(At(Gate(now_), h));
    const V slope = hn::Mul(output, hn::Mul(gate, hn::Sub(Set(1), gate)));
    for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) {
      Add(hn::Mul(slope, Set(o_.gate_weight[h * n_ + k])), gradient_, k);
    }
  }

  // Half the lanes go from vertex to vertex, each coordinate by chance; the others take shorter and
  // shorter steps, by powers of two so that witnesses stay short.
  void Move(std::size_t step, std::size_t steps) {
    const bool scores = step < kScoreSteps;
    constexpr std::size_t kHalvings = 6;
    const double shorter = 1 / static_cast<double>(1U << (kHalvings * step / steps));
    const V length = hn::IfThenElse(ByVertex(), Set(2), Set(scores ? 2 : shorter));
    const double share = scores || step % 3 == 0 ? 1.0 : 0.375;
    for (std::size_t slot = 0; slot < moving_; ++slot) {
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) {
        const V slope = At(gradient_, slot * n_ + k);
        const V way = hn::IfThenElseZero(hn::Ne(slope, Zero()), hn::CopySign(length, slope));
        const V change = hn::IfThenElseZero(Chance(share), way);
        const V moved = hn::Add(At(Token(slot), k), change);
        Put(hn::Min(hn::Max(moved, Set(-1)), Set(1)), Token(slot), k);
      }
    }
  }

  // Takes what `change` makes of the forms where that is better. Returns where.
  template <typename Change>
  HWY_INLINE Mask Try(V& best, const Change& change) {
    std::copy_n(now_, forms_ * Width(), trial_);
    change(trial_);
    const V goal = Goal(trial_);
    // A gain below rounding would go back and forth.
    const Mask better = hn::Gt(goal, PlusProduct(hn::Abs(best), Set(1e-9), best));
    if (hn::AllFalse(D(), better)) return better;
    best = hn::IfThenElse(better, goal, best);
    for (std::size_t i = 0; i < forms_; ++i) {
      Put(hn::IfThenElse(better, At(trial_, i), At(now_, i)), now_, i);
    }
    return better;
  }

  // Every coordinate to the other end, every change of the counts. Returns whether any gained.
  bool Sweep(V& best) {
    for (std::size_t h = 0; h < o_.heads; ++h) {
      for (std::size_t slot = 0; slot < slots_; ++slot) {
        Product(o_, LogitTransposed(h), Token(slot), Pull(h, slot));
      }
    }
    bool gained = false;
    for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) gained |= FlipQuery(k, best);
    for (std::size_t slot = 1; slot < moving_; ++slot) {
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) gained |= FlipKey(slot, k, best);
    }
    for (std::size_t from = 1; from <= o_.types; ++from) {
      gained |= ChangeRow(from, best);
      for (std::size_t to = 1; to <= o_.types; ++to) {
        if (from != to) gained |= MoveKeys(from, to, best);
      }
    }
    return gained;
  }

  HWY_INLINE V Flip(std::size_t slot, std::size_t k) const {
    const V at = At(Token(slot), k);
    return hn::Sub(hn::CopySign(Set(1), hn::Neg(at)), at);
  }

  bool FlipQuery(std::size_t k, V& best) {
    const V flip = Flip(0, k);
    const Mask better = Try(best, [&](double* forms) {
      for (std::size_t h = 0; h < o_.heads; ++h) {
        for (std::size_t slot = 0; slot < slots_; ++slot) {
          Add(hn::Mul(flip, At(Pull(h, slot), k)), Score(forms, h), slot);
        }
        const V square = hn::Mul(flip, Set(Logit(h)[k * o_.stride + k]));
        Add(hn::Mul(flip, hn::Add(At(Query(h), k), square)), Score(forms, h), 0);
        Add(hn::Mul(flip, At(ValueMap(h), k)), Value(forms, h), 0);
        Add(hn::Mul(flip, Set(o_.gate_weight[h * n_ + k])), Gate(forms), h);
      }
      Add(hn::Mul(flip, At(share_, k)), Share(forms), 0);
    });
    if (hn::AllFalse(D(), better)) return false;
    const V taken = hn::IfThenElseZero(better, flip);
    Add(taken, Token(0), k);
    for (std::size_t h = 0; h < o_.heads; ++h) {
      const double* row = Logit(h) + k * o_.stride;
      const double* column = LogitTransposed(h) + k * o_.stride;
      for (std::size_t c = 0; c < n_; ++c) {
        Add(hn::Mul(taken, Set(row[c])), Query(h), c);
        Add(hn::Mul(taken, Set(column[c])), Pull(h, 0), c);
      }
    }
    return true;
  }

  bool FlipKey(std::size_t slot, std::size_t k, V& best) {
    const V flip = Flip(slot, k);
    const Mask better = Try(best, [&](double* forms) {
      for (std::size_t h = 0; h < o_.heads; ++h) {
        Add(hn::Mul(flip, At(Query(h), k)), Score(forms, h), slot);
        Add(hn::Mul(flip, At(ValueMap(h), k)), Value(forms, h), slot);
      }
      Add(hn::Mul(flip, At(share_, k)), Share(forms), slot);
    });
    if (hn::AllFalse(D(), better)) return false;
    Add(hn::IfThenElseZero(better, flip), Token(slot), k);
    return true;
  }

  // More or fewer keys of a kind: one, or all there may be.
  bool ChangeRow(std::size_t slot, V& best) {
    bool gained = false;
    const double fixed = o_.trigger_key ? 2 : 1;
    for (const bool all : {false, true}) {
      for (const bool more : {true, false}) {
        const Mask better = Try(best, [&](double* forms) {
          const V content = hn::Sub(Keys(forms), Set(fixed));
          const V own = At(Count(forms), slot);
          const V limit = more ? hn::Sub(Set(static_cast<double>(o_.most_content)), content)
                               : hn::Min(own, hn::Sub(content, Set(LeastContent())));
          const V change = all ? limit : hn::Min(limit, Set(1));
          Add(more ? change : hn::Neg(change), Count(forms), slot);
        });
        gained |= !hn::AllFalse(D(), better);
      }
    }
    return gained;
  }

  [[nodiscard]] double LeastContent() const { return static_cast<double>(o_.least_content); }

  // One or all keys of a kind become keys of another.
  bool MoveKeys(std::size_t from, std::size_t to, V& best) {
    bool gained = false;
    for (const bool all : {false, true}) {
      const Mask better = Try(best, [&](double* forms) {
        const V own = At(Count(forms), from);
        const V change = all ? own : hn::Min(own, Set(1));
        Add(hn::Neg(change), Count(forms), from);
        Add(change, Count(forms), to);
      });
      gained |= !hn::AllFalse(D(), better);
    }
    return gained;
  }

  // (slot, coordinate) of each variable of the row, position after position: the trigger at 3, the
  // query last.
  std::vector<std::pair<std::size_t, std::size_t>> Variables(std::size_t lane) const {
    std::vector<std::size_t> keys;
    for (std::size_t slot = 1; slot <= o_.types; ++slot) {
      keys.insert(keys.end(), static_cast<std::size_t>(*Entry(Count(now_), slot, lane)), slot);
    }
    if (o_.trigger_key) keys.insert(keys.begin() + 1, 1 + o_.types);
    keys.push_back(0);
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const std::size_t slot : keys) {
      for (std::size_t k = kFirstNoise; k < EndNoise(); ++k) result.emplace_back(slot, k);
    }
    return result;
  }

  RowPeak Peak(std::size_t lane, double value) const {
    RowPeak peak;
    peak.value = value;
    for (const auto& [slot, k] : Variables(lane)) {
      peak.noise.push_back(*Entry(tokens_, slot * n_ + k, lane));
    }
    peak.row = peak.noise.size() / (n_ - 3) + 1;
    return peak;
  }

  const RowOperators& o_;
  std::size_t n_, slots_, bos_, moving_, forms_;
  hwy::AlignedFreeUniquePtr<double[]> memory_;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> random_;  // state of each lane
  std::size_t vectors_ = 0;
  double* tokens_;       // [slot][n]
  double* best_tokens_;  // [slot][n]
  double* gradient_;     // [slot][n]
  double* values_;       // [head][n] sign * row r of V
  double* share_;        // [n] sign * X[r] where the target has it
  double* now_;          // logits and values [head][slot], shares of the target and counts [slot],
  double* trial_;        // logits of the gates [head]
  double* query_;        // [head][stride] M^T x
  double* pull_;         // [head][slot][stride] M y
  double* kernels_;      // [slot]
  double* slopes_;       // [slot]
  double* weights_;      // [slot]
  double* direction_;    // [head][slot] which logits are climbed first
  double* pooled_;       // [stride]
  double* back_;         // [stride]
  double* constant_;     // [1] sign * what is added to every output
  double* sign_;         // [1] of the goal
  double* by_score_;     // [1] 1: first climbs logits
  double* by_vertex_;    // [1] 1: goes from vertex to vertex
};

void ClimbAll(const RowOperators& operators, std::span<const RowStart> starts, std::size_t steps,
              std::span<RowPeak> peaks) {
  Group group(operators);
  const std::size_t run = starts.size() / peaks.size();
  for (std::size_t first = 0; first < starts.size(); first += Width()) {
    const auto some = starts.subspan(first, std::min(Width(), starts.size() - first));
    RowPeak* into[kMostLanes];
    for (std::size_t i = 0; i < some.size(); ++i) into[i] = &peaks[(first + i) / run];
    group.Climb(some, steps, into);
  }
}

void SlopeOfStart(const RowOperators& operators, const RowStart& start, RowAscent::Slope& slope) {
  slope = Group(operators).SlopeAt(start);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::certify
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::certify {
namespace {

HWY_EXPORT(ClimbAll);
HWY_EXPORT(SlopeOfStart);

void add_head(RowOperators& o, const Layer& layer, std::size_t h) {
  const Head& head = layer.heads[h];
  const std::size_t at = o.logit.size();
  o.logit.resize(at + o.n * o.stride);
  o.logit_transposed.resize(at + o.n * o.stride);
  for (std::size_t a = 0; a < o.n; ++a) {
    for (std::size_t b = 0; b < o.n; ++b) {
      const double entry = head.logit_float(a, b);
      o.logit[at + a * o.stride + b] = entry;
      o.logit_transposed[at + b * o.stride + a] = entry;
      o.value.push_back(head.value_float(a, b));
    }
    o.gate_weight.push_back(layer.is_gated() ? layer.gates[h].weight_float[a] : 0);
  }
  o.gate_bias.push_back(layer.is_gated() ? layer.gates[h].bias_float : 0);
  ++o.heads;
}

RowOperators frame(const Layer& layer, RowClass rows, std::uint64_t seed) {
  RowOperators o;
  constexpr std::size_t kTile = RowOperators::kTile;
  o.kind = layer.kind();
  o.seed = seed;
  o.trigger_row = rows == RowClass::kTrigger;
  o.trigger_key = rows == RowClass::kPost;
  o.n = layer.width();
  o.stride = (o.n + kTile - 1) / kTile * kTile;
  const RowRange range = rows_of(rows, layer.length());
  const std::size_t others = o.trigger_key ? 3 : 2;  // BOS, the query, the trigger
  o.least_content = range.first - others;
  o.most_content = range.last - others;
  for (const double c : layer.constant_float) o.constant.push_back(c);
  const exact::Matrix<double>& token = layer.heads.front().token_float;
  for (std::size_t r = 0; r < o.n; ++r) {
    for (std::size_t c = 0; c < o.n; ++c) o.token.push_back(token(r, c));
  }
  return o;
}

}  // namespace

RowRange rows_of(RowClass rows, std::size_t length) {
  if (rows == RowClass::kPre) return {2, length - 1};
  return {rows == RowClass::kTrigger ? std::size_t{3} : std::size_t{4}, length};
}

RowAscent::RowAscent(const Layer& layer, RowClass rows, std::uint64_t seed)
    : operators_(frame(layer, rows, seed)) {
  constexpr std::size_t kMostTypes = 4;  // for more heads than three it is a heuristic
  operators_.types = std::min(kMostTypes, layer.heads.size() + 1);
  for (std::size_t h = 0; h < layer.heads.size(); ++h) add_head(operators_, layer, h);
}

RowAscent::RowAscent(const Layer& layer, RowClass rows, Slot slot, std::size_t head,
                     std::uint64_t seed)
    : operators_(frame(layer, rows, seed)) {
  operators_.loss = false;
  operators_.slot = slot;
  operators_.types = 1;
  add_head(operators_, layer, head);
}

std::vector<RowPeak> RowAscent::climb(std::span<const RowStart> starts, std::size_t run,
                                      std::size_t steps) const {
  std::vector<RowPeak> peaks(starts.size() / run);
  HWY_DYNAMIC_DISPATCH(ClimbAll)(operators_, starts, steps, peaks);
  return peaks;
}

RowAscent::Slope RowAscent::slope(const RowStart& start) const {
  Slope result;
  HWY_DYNAMIC_DISPATCH(SlopeOfStart)(operators_, start, result);
  return result;
}

}  // namespace sinkproof::certify
#endif  // HWY_ONCE
