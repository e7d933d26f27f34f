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

#include "certify/row_forms-inl.hpp"
#include "certify/row_gradient-inl.hpp"
#include "certify/row_sweep-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::certify {
namespace HWY_NAMESPACE {
namespace {

// One search in each lane.
class Group {
 public:
  explicit Group(const RowOperators& operators)
      : rows_(operators), random_(hwy::AllocateAligned<std::uint64_t>(Width())) {}

  // Where a lane's peak is above its start's, it goes there.
  void Climb(std::span<const RowStart> starts, std::size_t steps, std::span<RowPeak*> peaks) {
    Begin(starts);
    V best = Set(-HUGE_VAL);
    for (std::size_t step = 0; step <= steps; ++step) {
      rows_.Forward();
      best = KeepBest(best);
      if (step == steps) break;
      gradient_.Compute(step);
      Move(step, steps);
    }
    std::copy_n(best_tokens_, rows_.moving * rows_.n * Width(), rows_.tokens);
    constexpr int kSweeps = 12;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      rows_.Forward();
      best = rows_.Goal(rows_.now);
      if (!sweep_.Sweep(best)) break;
    }
    rows_.Forward();
    best = rows_.Goal(rows_.now);
    Put(best, value_, 0);
    for (std::size_t lane = 0; lane < starts.size(); ++lane) {
      const double value = *rows_.Entry(value_, 0, lane);
      if (peaks[lane]->row == 0 || value > peaks[lane]->value) *peaks[lane] = Peak(lane, value);
    }
  }

  RowAscent::Slope SlopeAt(const RowStart& start) {
    Begin({&start, 1});
    rows_.Forward();
    gradient_.Compute(RowGradient::kScoreSteps);
    RowAscent::Slope result;
    Put(rows_.Goal(rows_.now), value_, 0);
    result.at = Peak(0, *rows_.Entry(value_, 0, 0));
    for (const auto& [slot, k] : Variables(0)) {
      const double counted = *rows_.Entry(rows_.Count(rows_.now), slot, 0);
      result.gradient.push_back(*rows_.Entry(gradient_.gradient(), slot * rows_.n + k, 0) /
                                counted);
    }
    return result;
  }

 private:
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

  HWY_INLINE Mask ByVertex() const { return hn::Gt(At(by_vertex_, 0), Zero()); }

  // Lanes without a start repeat the first.
  void Begin(std::span<const RowStart> starts) {
    for (std::size_t lane = 0; lane < Width(); ++lane) {
      BeginLane(starts[lane < starts.size() ? lane : 0], lane);
    }
    for (std::size_t slot = 0; slot < rows_.moving; ++slot) {
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) {
        Put(Sign(), rows_.Token(slot), k);
      }
    }
    const Mask by_score = gradient_.ByScore();
    for (std::size_t i = 0; i < rows_.o.heads * rows_.slots; ++i) {
      Put(hn::IfThenElseZero(by_score, hn::Mul(Sign(), At(gradient_.direction(), i))),
          gradient_.direction(), i);
    }
  }

  void BeginLane(const RowStart& start, std::size_t lane) {
    std::uint64_t state = rows_.o.seed ^ (start.stream * 0x9E3779B97F4A7C15U);
    const auto next = [&state] {  // splitmix64
      std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
      z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
      z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
      return z ^ (z >> 31U);
    };
    const auto sign = static_cast<double>(start.sign);
    random_[lane] = next() | 1U;
    *rows_.Entry(rows_.constant, 0, lane) = sign * rows_.o.constant[start.coordinate];
    *rows_.Entry(rows_.sign, 0, lane) = sign;
    *rows_.Entry(gradient_.by_score(), 0, lane) = start.stream % 2 == 0 ? 1.0 : 0.0;
    *rows_.Entry(by_vertex_, 0, lane) = start.stream / 2 % 2 == 0 ? 1.0 : 0.0;
    for (std::size_t h = 0; h < rows_.o.heads; ++h) {
      const double* row = rows_.o.value.data() + (h * rows_.n + start.coordinate) * rows_.n;
      for (std::size_t c = 0; c < rows_.n; ++c) {
        *rows_.Entry(rows_.ValueMap(h), c, lane) = sign * row[c];
      }
    }
    const bool target = rows_.o.loss && rows_.o.trigger_row;
    for (std::size_t c = 0; c < rows_.n; ++c) {
      const double part = rows_.o.token[start.coordinate * rows_.n + c];
      *rows_.Entry(rows_.share, c, lane) = target && c != kBosFlag ? sign * part : 0.0;
    }
    const std::size_t head = next() % rows_.o.heads;
    for (std::size_t h = 0; h < rows_.o.heads; ++h) {
      for (std::size_t slot = 0; slot < rows_.moving; ++slot) {
        *rows_.Entry(gradient_.direction(), h * rows_.slots + slot, lane) = h == head ? 1.0 : 0.0;
      }
    }
    BeginFlagsAndCounts(start, lane, next);
  }

  template <typename Next>
  void BeginFlagsAndCounts(const RowStart& start, std::size_t lane, const Next& next) {
    for (std::size_t slot = 0; slot < rows_.slots; ++slot) {
      const bool trigger = slot == 0 ? rows_.o.trigger_row : slot > rows_.o.types;
      const std::size_t flag = slot == rows_.bos ? kBosFlag : trigger ? kTriggerFlag : rows_.n - 1;
      for (const std::size_t c : {kBosFlag, kTriggerFlag, rows_.n - 1}) {
        *rows_.Entry(rows_.Token(slot), c, lane) = c == flag ? 1.0 : 0.0;
      }
      const bool type = slot > 0 && slot <= rows_.o.types;
      *rows_.Entry(rows_.Count(rows_.now), slot, lane) = type ? 0.0 : 1.0;
    }
    const std::size_t fixed = rows_.o.trigger_key ? 2 : 1;
    const bool alike = start.stream / 4 % 2 == 0;
    std::uint64_t left = start.row - 1 - fixed;
    for (std::size_t slot = rows_.o.types; slot > 1 && !alike; --slot) {
      const std::uint64_t some = next() % (left + 1);
      *rows_.Entry(rows_.Count(rows_.now), slot, lane) = static_cast<double>(some);
      left -= some;
    }
    *rows_.Entry(rows_.Count(rows_.now), 1, lane) = static_cast<double>(left);
  }

  HWY_INLINE V KeepBest(V best) {
    const V goal = rows_.Goal(rows_.now);
    const Mask better = hn::Gt(goal, best);
    for (std::size_t i = 0; i < rows_.moving * rows_.n; ++i) {
      Put(hn::IfThenElse(better, At(rows_.tokens, i), At(best_tokens_, i)), best_tokens_, i);
    }
    return hn::Max(goal, best);
  }

  // Half the lanes go from vertex to vertex, each coordinate by chance; the others take shorter and
  // shorter steps, by powers of two so that witnesses stay short.
  void Move(std::size_t step, std::size_t steps) {
    const bool scores = step < RowGradient::kScoreSteps;
    constexpr std::size_t kHalvings = 6;
    const double shorter = 1 / static_cast<double>(1U << (kHalvings * step / steps));
    const V length = hn::IfThenElse(ByVertex(), Set(2), Set(scores ? 2 : shorter));
    const double share = scores || step % 3 == 0 ? 1.0 : 0.375;
    for (std::size_t slot = 0; slot < rows_.moving; ++slot) {
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) {
        const V slope = At(gradient_.gradient(), slot * rows_.n + k);
        const V way = hn::IfThenElseZero(hn::Ne(slope, Zero()), hn::CopySign(length, slope));
        const V change = hn::IfThenElseZero(Chance(share), way);
        const V moved = hn::Add(At(rows_.Token(slot), k), change);
        Put(hn::Min(hn::Max(moved, Set(-1)), Set(1)), rows_.Token(slot), k);
      }
    }
  }

  // (slot, coordinate) of each variable of the row, position after position: the trigger at 3, the
  // query last.
  std::vector<std::pair<std::size_t, std::size_t>> Variables(std::size_t lane) const {
    std::vector<std::size_t> keys;
    for (std::size_t slot = 1; slot <= rows_.o.types; ++slot) {
      keys.insert(keys.end(),
                  static_cast<std::size_t>(*rows_.Entry(rows_.Count(rows_.now), slot, lane)), slot);
    }
    if (rows_.o.trigger_key) keys.insert(keys.begin() + 1, 1 + rows_.o.types);
    keys.push_back(0);
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const std::size_t slot : keys) {
      for (std::size_t k = kFirstNoise; k < rows_.EndNoise(); ++k) result.emplace_back(slot, k);
    }
    return result;
  }

  RowPeak Peak(std::size_t lane, double value) const {
    RowPeak peak;
    peak.value = value;
    for (const auto& [slot, k] : Variables(lane)) {
      peak.noise.push_back(*rows_.Entry(rows_.tokens, slot * rows_.n + k, lane));
    }
    peak.row = peak.noise.size() / (rows_.n - 3) + 1;
    return peak;
  }

  RowForms rows_;
  RowGradient gradient_{rows_};
  RowSweep sweep_{rows_};
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> random_;               // state of each lane
  double* best_tokens_ = rows_.arrays.Take(rows_.slots * rows_.n);  // [slot][n]
  double* by_vertex_ = rows_.arrays.Take(1);  // [1] 1: goes from vertex to vertex
  double* value_ = rows_.arrays.Take(1);      // [1]
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
