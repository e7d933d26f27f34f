#include "train/kernels.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
// Processors that end at SSSE3 (before 2008) take the scalar target: each target costs seconds
// here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/kernels.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <algorithm>
#include <type_traits>

#include "hwy/highway.h"
#include "train/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::train {
namespace HWY_NAMESPACE {
namespace {

// Where things lie in a worker's scratch, for one vector's worth of samples. T = length - 1 tokens
// behind BOS, F = n - 1 features of them (noise, trigger flag, 1); entries are vectors.
struct Group {
  Group(const Shape& shape, float* scratch)
      : attention(shape.attention), n(shape.d_model), tokens(shape.length - 1), width(Width()) {
    const auto take = [&](std::size_t count) {
      float* const at = scratch == nullptr ? nullptr : scratch + vectors * width;
      vectors += count;
      return at;
    };
    const std::size_t f = n - 1;
    features = take(tokens * f);
    columns = take(f * tokens);
    is_trigger = take(tokens);
    is_other = take(tokens);
    mean_weight = take(tokens);
    weights = take(tokens * (tokens + 1));
    mixed = take(tokens * n);
    pulled = take(tokens * n);
    query = take(kTileRows * n);
    d_mixed = take(kTileRows * n);
    d_logits = take(kTileRows * (tokens + 1));
    trigger_mixed = take(n);
    error = take(n);
    mean = take(n);
    trigger_d_mixed = take(n);
  }
  Attention attention;
  std::size_t n, tokens, width;
  float* features;          // [T][F]
  float* columns;           // [F][T], its transpose
  float* is_trigger;        // [T], 1 where the token is the trigger (0 in lanes without a sample)
  float* is_other;          // [T], 1 where it is not (0 in lanes without a sample)
  float* mean_weight;       // [T], 1/(j-1) up to the trigger, then 0
  float* weights;           // [T][T+1] attention; the last column is BOS
  float* mixed;             // [T][n] z = sum of weights times features; zeroed in trigger rows
  float* pulled;            // [T][n] sum of d logits times features
  float* query;             // [rows][n] logits operator applied to the query
  float* d_mixed;           // [rows][n]
  float* d_logits;          // [rows][T+1]
  float* trigger_mixed;     // [n] z of the trigger row
  float* error;             // [n] out - y of the trigger row
  float* mean;              // [F] features of the target
  float* trigger_d_mixed;   // [n]
  std::size_t vectors = 0;  // all of the above
};

// Draws samples first .. first + valid - 1 of the batch into the lanes; the bits of task.hpp.
void DrawGroup(const ChunkRequest& request, std::uint32_t first, std::size_t valid,
               const Group& group) {
  const D d;
  V position_of_trigger;
  Streams streams(request.batch, request.shape.length, first, position_of_trigger);
  const V is_present = PresentLanes(valid);
  const V one = hn::Set(d, 1.0F);
  const V share = hn::Div(is_present, hn::Sub(position_of_trigger, one));
  const std::size_t noise = group.n - 3;
  const std::size_t features = group.n - 1;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    for (std::size_t c = 0; c < noise; ++c) {
      const V u = streams.Noise();
      Put(u, group.features, t * features + c);
      Put(u, group.columns, c * group.tokens + t);
    }
    const V position = hn::Set(d, static_cast<float>(t + 2));
    const V flag = hn::IfThenElseZero(hn::Eq(position, position_of_trigger), one);
    const V before = hn::IfThenElseZero(hn::Le(position, position_of_trigger), share);
    Put(flag, group.features, t * features + noise);
    Put(flag, group.columns, noise * group.tokens + t);
    Put(one, group.features, t * features + noise + 1);
    Put(one, group.columns, (noise + 1) * group.tokens + t);
    Put(hn::Mul(flag, is_present), group.is_trigger, t);
    Put(hn::Mul(hn::Sub(one, flag), is_present), group.is_other, t);
    Put(before, group.mean_weight, t);
  }
}

// Logits to attention in row `row` (position row + 2); BOS's logit is given, its weight goes last.
HWY_INLINE void WeighForward(const Group& group, std::size_t row, V bos) {
  const D d;
  float* const weights = group.weights + row * (group.tokens + 1) * group.width;
  if (group.attention == Attention::kRelu) {
    const V scale = hn::Set(d, 1.0F / static_cast<float>(row + 1));
    for (std::size_t k = 0; k <= row; ++k) {
      Put(hn::Mul(hn::Max(At(weights, k), hn::Zero(d)), scale), weights, k);
    }
    Put(hn::Mul(hn::Max(bos, hn::Zero(d)), scale), weights, group.tokens);
    return;
  }
  V largest = bos;
  for (std::size_t k = 0; k <= row; ++k) largest = hn::Max(largest, At(weights, k));
  const V bos_power = hn::Exp(d, hn::Sub(bos, largest));
  V sum = bos_power;
  for (std::size_t k = 0; k <= row; ++k) {
    const V power = hn::Exp(d, hn::Sub(At(weights, k), largest));
    sum = hn::Add(sum, power);
    Put(power, weights, k);
  }
  const V scale = hn::Div(hn::Set(d, 1.0F), sum);
  for (std::size_t k = 0; k <= row; ++k) Put(hn::Mul(At(weights, k), scale), weights, k);
  Put(hn::Mul(bos_power, scale), weights, group.tokens);
}

// d weights to d logits, in place; BOS's entry is last.
HWY_INLINE void WeighBackward(const Group& group, std::size_t row, float* d_logits) {
  const D d;
  const float* const weights = group.weights + row * (group.tokens + 1) * group.width;
  const std::size_t bos = group.tokens;
  if (group.attention == Attention::kRelu) {
    const V scale = hn::Set(d, 1.0F / static_cast<float>(row + 1));
    const auto pass = [&](std::size_t k) {
      const auto active = hn::Gt(At(weights, k), hn::Zero(d));
      Put(hn::IfThenElseZero(active, hn::Mul(At(d_logits, k), scale)), d_logits, k);
    };
    for (std::size_t k = 0; k <= row; ++k) pass(k);
    pass(bos);
    return;
  }
  V mean = hn::Mul(At(weights, bos), At(d_logits, bos));
  for (std::size_t k = 0; k <= row; ++k) mean = hn::MulAdd(At(weights, k), At(d_logits, k), mean);
  for (std::size_t k = 0; k <= row; ++k) {
    Put(hn::Mul(At(weights, k), hn::Sub(At(d_logits, k), mean)), d_logits, k);
  }
  Put(hn::Mul(At(weights, bos), hn::Sub(At(d_logits, bos), mean)), d_logits, bos);
}

// Attention and mixed features of rows row .. row + kRows - 1.
template <int kRows>
HWY_INLINE void ForwardRows(const Group& group, const Operators& operators, std::size_t row) {
  const D d;
  const std::size_t n = group.n;
  const std::size_t f = n - 1;
  const std::size_t width = group.width;
  const std::size_t keys = row + kRows;
  const std::size_t weights_row = (group.tokens + 1) * width;
  float* const weights = group.weights + row * weights_row;
  float* const mixed = group.mixed + row * n * width;
  Multiply<kRows, Operand::kScalar>(n, f, {group.features + row * f * width, f * width, width},
                                    {operators.logits, row_stride(n)}, {group.query, n * width},
                                    Start::kZero);
  Multiply<kRows, Operand::kVector>(keys, f, {group.query, n * width, width},
                                    {group.columns, group.tokens * width}, {weights, weights_row},
                                    Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    WeighForward(group, row + r, At(group.query, r * n + f));
    for (std::size_t k = row + r + 1; k < keys; ++k) Put(hn::Zero(d), weights + r * weights_row, k);
  }
  Multiply<kRows, Operand::kVector>(f, keys, {weights, weights_row, width},
                                    {group.features, f * width}, {mixed, n * width}, Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    Put(At(weights + r * weights_row, group.tokens), mixed, r * n + f);
    const V trigger = At(group.is_trigger, row + r);
    const V other = At(group.is_other, row + r);
    for (std::size_t c = 0; c < n; ++c) {
      const V z = At(mixed, r * n + c);
      Put(hn::MulAdd(trigger, z, At(group.trigger_mixed, c)), group.trigger_mixed, c);
      Put(hn::Mul(other, z), mixed, r * n + c);
    }
  }
}

struct GroupSums {
  V loss, trigger_linf, every_linf;
};

// Output, error and d z of each lane's trigger row.
HWY_INLINE void TriggerRow(const Group& group, const Operators& operators, GroupSums& sums) {
  const std::size_t n = group.n;
  const std::size_t f = n - 1;
  const std::size_t width = group.width;
  Multiply<1, Operand::kVector>(f, group.tokens, {group.mean_weight, 0, width},
                                {group.features, f * width}, {group.mean, 0}, Start::kZero);
  Put(hn::Sub(At(group.mean, f - 1), At(group.mean, f - 2)), group.mean, f - 1);  // content flag
  Multiply<1, Operand::kScalar>(n, n, {group.trigger_mixed, 0, width},
                                {operators.value_transposed, row_stride(n)}, {group.error, 0},
                                Start::kZero);
  for (std::size_t c = 0; c < n; ++c) {
    V error = At(group.error, c);
    if (c < f) error = hn::Sub(error, At(group.mean, c));
    Put(error, group.error, c);
    sums.loss = hn::MulAdd(error, error, sums.loss);
    sums.trigger_linf = hn::Max(sums.trigger_linf, hn::Abs(error));
  }
  Multiply<1, Operand::kScalar>(n, n, {group.error, 0, width}, {operators.value, row_stride(n)},
                                {group.trigger_d_mixed, 0}, Start::kZero);
}

// Largest absolute output of rows without a target.
template <int kRows>
HWY_INLINE void OtherLinf(const Group& group, const Operators& operators, std::size_t row,
                          GroupSums& sums) {
  const std::size_t n = group.n;
  Multiply<kRows, Operand::kScalar>(
      n, n, {group.mixed + row * n * group.width, n * group.width, group.width},
      {operators.value_transposed, row_stride(n)}, {group.d_mixed, n * group.width}, Start::kZero);
  for (std::size_t c = 0; c < kRows * n; ++c) {
    sums.every_linf = hn::Max(sums.every_linf, hn::Abs(At(group.d_mixed, c)));
  }
}

// From d z of rows row .. row + kRows - 1 to their d logits, pulled back on the keys.
template <int kRows>
HWY_INLINE void BackwardRows(const Group& group, const Operators& operators, std::size_t row,
                             GroupSums& sums) {
  const std::size_t n = group.n;
  const std::size_t f = n - 1;
  const std::size_t width = group.width;
  const std::size_t keys = row + kRows;
  const std::size_t d_logits_row = (group.tokens + 1) * width;
  const float* const mixed = group.mixed + row * n * width;
  float* const pulled = group.pulled + row * n * width;
  Multiply<kRows, Operand::kScalar>(n, n, {mixed, n * width, width},
                                    {operators.gram, row_stride(n)}, {group.d_mixed, n * width},
                                    Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    const V trigger = At(group.is_trigger, row + r);
    for (std::size_t c = 0; c < n; ++c) {
      const V d_z = At(group.d_mixed, r * n + c);
      sums.loss = hn::MulAdd(d_z, At(mixed, r * n + c), sums.loss);
      Put(hn::MulAdd(trigger, At(group.trigger_d_mixed, c), d_z), group.d_mixed, r * n + c);
    }
  }
  Multiply<kRows, Operand::kVector>(keys, f, {group.d_mixed, n * width, width},
                                    {group.columns, group.tokens * width},
                                    {group.d_logits, d_logits_row}, Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const d_logits = group.d_logits + r * d_logits_row;
    Put(At(group.d_mixed, r * n + f), d_logits, group.tokens);
    WeighBackward(group, row + r, d_logits);
    for (std::size_t k = row + r + 1; k < keys; ++k) Put(hn::Zero(D()), d_logits, k);
  }
  Multiply<kRows, Operand::kVector>(f, keys, {group.d_logits, d_logits_row, width},
                                    {group.features, f * width}, {pulled, n * width}, Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    Put(At(group.d_logits + r * d_logits_row, group.tokens), pulled, r * n + f);
  }
}

void GroupGradient(const ChunkRequest& request, const Operators& operators, const Group& group,
                   GroupSums& scalars, float* sums) {
  const std::size_t n = group.n;
  const std::size_t f = n - 1;
  const std::size_t width = group.width;
  const SumsLayout layout = sums_layout(n);
  for (std::size_t c = 0; c < n; ++c) Put(hn::Zero(D()), group.trigger_mixed, c);
  ForRows(group.tokens, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
    ForwardRows<kRows>(group, operators, row);
  });
  TriggerRow(group, operators, scalars);
  if (request.every_row_linf) {
    ForRows(group.tokens, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
      OtherLinf<kRows>(group, operators, row, scalars);
    });
  }
  ForRows(group.tokens, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
    BackwardRows<kRows>(group, operators, row, scalars);
  });
  AddOuter(f, n, group.tokens, {group.features, width, f * width}, {group.pulled, n * width},
           sums + layout.logits * width, Start::kAccumulate, false);
  AddOuter(n, n, group.tokens, {group.mixed, width, n * width}, {group.mixed, n * width},
           sums + layout.second * width, Start::kAccumulate, true);
  AddOuter(n, n, 1, {group.error, width, 0}, {group.trigger_mixed, 0}, sums + layout.error * width,
           Start::kAccumulate, false);
}

std::size_t Lanes() { return Width(); }

std::int64_t TargetId() { return HWY_TARGET; }

std::size_t ScratchVectors(const Shape& shape) { return Group(shape, nullptr).vectors; }

void ChunkGradient(const ChunkRequest& request, const Operators& operators, float* scratch,
                   float* sums) {
  const D d;
  const Group group(request.shape, scratch);
  const SumsLayout layout = sums_layout(group.n);
  for (std::size_t entry = 0; entry < layout.count; ++entry) Put(hn::Zero(d), sums, entry);
  GroupSums scalars{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t done = 0; done < request.count; done += group.width) {
    DrawGroup(request, request.first + static_cast<std::uint32_t>(done),
              std::min(group.width, request.count - done), group);
    GroupGradient(request, operators, group, scalars, sums);
  }
  Put(scalars.loss, sums, layout.loss);
  Put(scalars.trigger_linf, sums, layout.trigger_linf);
  Put(hn::Max(scalars.trigger_linf, scalars.every_linf), sums, layout.every_linf);
}

void TotalSums(std::size_t added, std::size_t maximised, std::size_t chunks, const float* sums,
               float* totals) {
  const D d;
  const std::size_t chunk_step = (added + maximised) * Width();
  for (std::size_t entry = 0; entry < added + maximised; ++entry) {
    const bool maximise = entry >= added;
    V total = At(sums, entry);
    for (std::size_t chunk = 1; chunk < chunks; ++chunk) {
      const V next = At(sums + chunk * chunk_step, entry);
      total = maximise ? hn::Max(total, next) : hn::Add(total, next);
    }
    totals[entry] = hn::GetLane(maximise ? hn::MaxOfLanes(d, total) : hn::SumOfLanes(d, total));
  }
}

void MultiplySmall(std::size_t n, const float* a, const float* b, float* c) {
  const D d;
  constexpr std::size_t kBlock = 4;
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; row += kBlock) {
    // The last block's surplus rows repeat the last row.
    const float* left[kBlock];
    for (std::size_t r = 0; r < kBlock; ++r) left[r] = a + std::min(row + r, n - 1) * stride;
    for (std::size_t col = 0; col < stride; col += Width()) {
      V sum[kBlock] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (std::size_t k = 0; k < n; ++k) {
        const V right = hn::Load(d, b + k * stride + col);
        for (std::size_t r = 0; r < kBlock; ++r) {
          sum[r] = hn::MulAdd(hn::Set(d, left[r][k]), right, sum[r]);
        }
      }
      for (std::size_t r = 0; r < kBlock && row + r < n; ++r) {
        hn::Store(sum[r], d, c + (row + r) * stride + col);
      }
    }
  }
}

void AdamUpdate(const AdamFactors& factors, std::size_t count, const float* gradient, float* first,
                float* second, float* weights) {
  const D d;
  const V beta1 = hn::Set(d, factors.beta1);
  const V beta2 = hn::Set(d, factors.beta2);
  const V rest1 = hn::Set(d, 1.0F - factors.beta1);
  const V rest2 = hn::Set(d, 1.0F - factors.beta2);
  const V step = hn::Set(d, factors.step);
  const V root = hn::Set(d, factors.root);
  const V epsilon = hn::Set(d, factors.epsilon);
  const V keep = hn::Set(d, factors.keep);
  const V times = hn::Set(d, factors.gradient);
  for (std::size_t at = 0; at < count; at += Width()) {
    const V g = hn::Mul(times, hn::Load(d, gradient + at));
    const V m = hn::MulAdd(beta1, hn::Load(d, first + at), hn::Mul(rest1, g));
    const V v = hn::MulAdd(beta2, hn::Load(d, second + at), hn::Mul(rest2, hn::Mul(g, g)));
    const V scale = hn::Add(hn::Mul(hn::Sqrt(v), root), epsilon);
    const V kept = hn::Mul(keep, hn::Load(d, weights + at));
    const V w = hn::Sub(kept, hn::Div(hn::Mul(step, m), scale));
    hn::Store(m, d, first + at);
    hn::Store(v, d, second + at);
    hn::Store(w, d, weights + at);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::train
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::train {

HWY_EXPORT(Lanes);
HWY_EXPORT(TargetId);
HWY_EXPORT(ScratchVectors);
HWY_EXPORT(ChunkGradient);
HWY_EXPORT(TotalSums);
HWY_EXPORT(MultiplySmall);
HWY_EXPORT(AdamUpdate);

std::size_t kernel_lanes() { return HWY_DYNAMIC_DISPATCH(Lanes)(); }

std::string kernel_target() { return hwy::TargetName(HWY_DYNAMIC_DISPATCH(TargetId)()); }

std::vector<std::int64_t> kernel_targets() {
  std::vector<std::int64_t> targets;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

exact::Result<void> use_instruction_set(const std::string& name) {
  std::string here;
  for (const std::int64_t target : kernel_targets()) {
    if (hwy::TargetName(target) == name) {
      hwy::DisableTargets(~target);
      return {};
    }
    here += std::string(here.empty() ? "" : ", ") + hwy::TargetName(target);
  }
  return exact::fail("SP1001", "--instruction-set " + name.substr(0, 40),
                     "does not run here; this processor has " + here);
}

std::size_t scratch_floats(const Shape& shape) {
  return HWY_DYNAMIC_DISPATCH(ScratchVectors)(shape) * kernel_lanes();
}

std::size_t chunk_sums_floats(std::size_t n) { return sums_layout(n).count * kernel_lanes(); }

void chunk_gradient(const ChunkRequest& request, const Operators& operators, float* scratch,
                    float* sums) {
  HWY_DYNAMIC_DISPATCH(ChunkGradient)(request, operators, scratch, sums);
}

void total_sums(std::size_t added, std::size_t maximised, std::size_t chunks, const float* sums,
                float* totals) {
  HWY_DYNAMIC_DISPATCH(TotalSums)(added, maximised, chunks, sums, totals);
}

void multiply(std::size_t n, const float* a, const float* b, float* c) {
  HWY_DYNAMIC_DISPATCH(MultiplySmall)(n, a, b, c);
}

void adam_update(const AdamFactors& factors, std::size_t count, const float* gradient, float* first,
                 float* second, float* weights) {
  HWY_DYNAMIC_DISPATCH(AdamUpdate)(factors, count, gradient, first, second, weights);
}

}  // namespace sinkproof::train
#endif  // HWY_ONCE
