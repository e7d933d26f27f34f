#include "train/general_kernels.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/general_kernels.cpp"
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

using certificate::AttentionKind;
using certificate::Kernel;

// Where things lie in a worker's scratch, for one vector's worth of samples; entries are vectors.
struct Sequences {
  Sequences(const Shape& shape, float* scratch)
      : kind(certificate::kind_of(shape.attention)),
        n(shape.d_model),
        length(shape.length),
        heads(shape.heads),
        width(Width()) {
    const auto take = [&](std::size_t count) {
      float* const at = scratch == nullptr ? nullptr : scratch + vectors * width;
      vectors += count;
      return at;
    };
    tokens = take(length * n);
    columns = take(n * length);
    is_trigger = take(length);
    mean = take(n);
    present = take(1);
    mixed = take(heads * length * n);
    pulled = take(heads * length * n);
    d_gate = take(heads * length);
    error = take(length * n);
    weights = take(heads * kTileRows * length);
    slopes = take(heads * kTileRows * length);
    gates = take(heads * kTileRows);
    query = take(kTileRows * n);
    d_mixed = take(kTileRows * n);
    d_logits = take(kTileRows * length);
  }
  [[nodiscard]] float* head_rows(float* base, std::size_t head, std::size_t row) const {
    return base + (head * length + row) * n * width;
  }

  const AttentionKind& kind;
  std::size_t n, length, heads, width;
  float* tokens;            // [L][n]
  float* columns;           // [n][L], its transpose
  float* is_trigger;        // [L], 1 where the token is the trigger
  float* mean;              // [n], the trigger row's target
  float* present;           // 1 in lanes with a sample, else 0
  float* mixed;             // [H][L][n] gate times the sum of weights times tokens
  float* pulled;            // [H][L][n] sum of d logits times tokens
  float* d_gate;            // [H][L] d of the gates' logits
  float* error;             // [L][n] out - y; zero in lanes without a sample
  float* weights;           // [H][rows][L] attention
  float* slopes;            // [H][rows][L] its derivative by the key's own logit, scale held fixed
  float* gates;             // [H][rows]
  float* query;             // [rows][n]
  float* d_mixed;           // [rows][n]
  float* d_logits;          // [rows][L]
  std::size_t vectors = 0;  // all of the above
};

HWY_INLINE void PutToken(const Sequences& at, std::size_t row, std::size_t c, V value) {
  Put(value, at.tokens, row * at.n + c);
  Put(value, at.columns, c * at.length + row);
}

// Draws samples first .. first + valid - 1 of the batch into the lanes, and their targets.
void DrawSequences(const ChunkRequest& request, std::uint32_t first, std::size_t valid,
                   const Sequences& at) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0F);
  V position_of_trigger;
  Streams streams(request.batch, at.length, first, position_of_trigger);
  Put(PresentLanes(valid), at.present, 0);
  for (std::size_t c = 0; c < at.n; ++c) {
    PutToken(at, 0, c, c == 0 ? one : zero);
    Put(zero, at.mean, c);
  }
  Put(zero, at.is_trigger, 0);
  const V share = hn::Div(one, hn::Sub(position_of_trigger, one));
  for (std::size_t row = 1; row < at.length; ++row) {
    const V position = hn::Set(d, static_cast<float>(row + 1));
    const V is_trigger = hn::IfThenElseZero(hn::Eq(position, position_of_trigger), one);
    const V before = hn::IfThenElseZero(hn::Le(position, position_of_trigger), share);
    PutToken(at, row, 0, zero);
    PutToken(at, row, 1, is_trigger);
    for (std::size_t c = 2; c + 1 < at.n; ++c) PutToken(at, row, c, streams.Noise());
    PutToken(at, row, at.n - 1, hn::Sub(one, is_trigger));
    Put(is_trigger, at.is_trigger, row);
    for (std::size_t c = 1; c < at.n; ++c) {
      Put(hn::MulAdd(before, At(at.tokens, row * at.n + c), At(at.mean, c)), at.mean, c);
    }
  }
}

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

// Logits to weights, in place, and slopes, of a row that sees `keys` keys.
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
    Put(at.slope, slopes, k);
  }
  if (kind.normalised) factor = hn::Div(hn::Set(d, 1.0F), sum);
  for (std::size_t k = 0; k < keys; ++k) {
    Put(hn::Mul(At(weights, k), factor), weights, k);
    Put(hn::Mul(At(slopes, k), factor), slopes, k);
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

// The gate of row `row` times its mixed tokens; 1 - gate is what the backward pass needs.
HWY_INLINE V GateRow(const Sequences& at, const float* gate, std::size_t row, float* mixed) {
  const D d;
  V logit = hn::Zero(d);
  for (std::size_t c = 0; c < at.n; ++c) {
    logit = hn::MulAdd(hn::Set(d, gate[c]), At(at.tokens, row * at.n + c), logit);
  }
  const V open = KernelAt<Kernel::kSigmoid>(logit, hn::Zero(d)).value;
  for (std::size_t c = 0; c < at.n; ++c) Put(hn::Mul(open, At(mixed, c)), mixed, c);
  return open;
}

// Rows row .. row + kRows - 1 of one head: weights, mixed tokens, and its part of the output, which
// is added to `error`.
template <int kRows>
HWY_INLINE void HeadForward(const Sequences& at, const GeneralOperators& operators,
                            std::size_t head, std::size_t row) {
  const std::size_t n = at.n;
  const std::size_t width = at.width;
  const std::size_t keys = row + kRows;
  const std::size_t stride = row_stride(n);
  float* const weights = at.weights + head * kTileRows * at.length * width;
  float* const slopes = at.slopes + head * kTileRows * at.length * width;
  float* const mixed = at.head_rows(at.mixed, head, row);
  Multiply<kRows, Operand::kScalar>(n, n, {at.tokens + row * n * width, n * width, width},
                                    {operators.logits + head * n * stride, stride},
                                    {at.query, n * width}, Start::kZero);
  Multiply<kRows, Operand::kVector>(keys, n, {at.query, n * width, width},
                                    {at.columns, at.length * width}, {weights, at.length * width},
                                    Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const here = weights + r * at.length * width;
    Weigh(at.kind, row + r + 1, here, slopes + r * at.length * width);
    for (std::size_t k = row + r + 1; k < keys; ++k) Put(hn::Zero(D()), here, k);
  }
  Multiply<kRows, Operand::kVector>(n, keys, {weights, at.length * width, width},
                                    {at.tokens, n * width}, {mixed, n * width}, Start::kZero);
  if (at.kind.gated) {
    for (std::size_t r = 0; r < kRows; ++r) {
      Put(GateRow(at, operators.gates + head * stride, row + r, mixed + r * n * width), at.gates,
          head * kTileRows + r);
    }
  }
  Multiply<kRows, Operand::kScalar>(n, n, {mixed, n * width, width},
                                    {operators.value_transposed + head * n * stride, stride},
                                    {at.error + row * n * width, n * width}, Start::kAccumulate);
}

// From the errors of rows row .. row + kRows - 1 to one head's d logits, pulled back on the keys.
template <int kRows>
HWY_INLINE void HeadBackward(const Sequences& at, const GeneralOperators& operators,
                             std::size_t head, std::size_t row) {
  const std::size_t n = at.n;
  const std::size_t width = at.width;
  const std::size_t keys = row + kRows;
  const std::size_t stride = row_stride(n);
  const float* const weights = at.weights + head * kTileRows * at.length * width;
  const float* const slopes = at.slopes + head * kTileRows * at.length * width;
  Multiply<kRows, Operand::kScalar>(n, n, {at.error + row * n * width, n * width, width},
                                    {operators.value + head * n * stride, stride},
                                    {at.d_mixed, n * width}, Start::kZero);
  if (at.kind.gated) {
    const float* const mixed = at.head_rows(at.mixed, head, row);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V open = At(at.gates, head * kTileRows + r);
      V along = hn::Zero(D());
      for (std::size_t c = r * n; c < (r + 1) * n; ++c) {
        along = hn::MulAdd(At(at.d_mixed, c), At(mixed, c), along);
        Put(hn::Mul(open, At(at.d_mixed, c)), at.d_mixed, c);
      }
      Put(hn::Mul(along, hn::Sub(hn::Set(D(), 1.0F), open)), at.d_gate, head * at.length + row + r);
    }
  }
  Multiply<kRows, Operand::kVector>(keys, n, {at.d_mixed, n * width, width},
                                    {at.columns, at.length * width},
                                    {at.d_logits, at.length * width}, Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const here = at.d_logits + r * at.length * width;
    WeighBackward(at.kind.normalised, row + r + 1, weights + r * at.length * width,
                  slopes + r * at.length * width, here);
    for (std::size_t k = row + r + 1; k < keys; ++k) Put(hn::Zero(D()), here, k);
  }
  Multiply<kRows, Operand::kVector>(n, keys, {at.d_logits, at.length * width, width},
                                    {at.tokens, n * width},
                                    {at.head_rows(at.pulled, head, row), n * width}, Start::kZero);
}

struct Errors {
  V loss, linf;
};

// Rows row .. row + kRows - 1 through all heads, forward and back.
template <int kRows>
HWY_INLINE void PassRows(const Sequences& at, const GeneralOperators& operators, std::size_t row,
                         Errors& errors) {
  const D d;
  float* const error = at.error + row * at.n * at.width;
  for (std::size_t r = 0; r < kRows; ++r) {
    const V is_trigger = At(at.is_trigger, row + r);
    for (std::size_t c = 0; c < at.n; ++c) {
      Put(hn::NegMulAdd(is_trigger, At(at.mean, c), hn::Set(d, operators.bias[c])), error,
          r * at.n + c);
    }
  }
  for (std::size_t head = 0; head < at.heads; ++head) HeadForward<kRows>(at, operators, head, row);
  const V present = At(at.present, 0);
  V squares = hn::Zero(d);  // of these rows alone: adding them one by one to the total rounds more
  for (std::size_t c = 0; c < kRows * at.n; ++c) {
    const V value = hn::Mul(present, At(error, c));
    Put(value, error, c);
    squares = hn::MulAdd(value, value, squares);
    errors.linf = hn::Max(errors.linf, hn::Abs(value));
  }
  errors.loss = hn::Add(errors.loss, squares);
  for (std::size_t head = 0; head < at.heads; ++head) HeadBackward<kRows>(at, operators, head, row);
}

void AddGradient(const Shape& shape, const Sequences& at, float* sums) {
  const std::size_t n = at.n;
  const std::size_t width = at.width;
  const GeneralSumsLayout layout = general_sums_layout(shape);
  for (std::size_t head = 0; head < at.heads; ++head) {
    float* const own = sums + head * layout.head * width;
    AddOuter(n, n, at.length, {at.tokens, width, n * width},
             {at.head_rows(at.pulled, head, 0), n * width}, own + layout.logits * width, false);
    AddOuter(n, n, at.length, {at.error, width, n * width},
             {at.head_rows(at.mixed, head, 0), n * width}, own + layout.value * width, false);
    if (at.kind.gated) {
      AddOuter(1, n, at.length, {at.d_gate + head * at.length * width, 0, width},
               {at.tokens, n * width}, own + layout.gate * width, false);
    }
  }
  for (std::size_t row = 0; row < at.length; ++row) {
    for (std::size_t c = 0; c < n; ++c) {
      Put(hn::Add(At(sums, layout.bias + c), At(at.error, row * n + c)), sums, layout.bias + c);
    }
  }
}

std::size_t GeneralScratchVectors(const Shape& shape) { return Sequences(shape, nullptr).vectors; }

void GeneralChunkGradient(const ChunkRequest& request, const GeneralOperators& operators,
                          float* scratch, float* sums) {
  const D d;
  const Sequences at(request.shape, scratch);
  const GeneralSumsLayout layout = general_sums_layout(request.shape);
  for (std::size_t entry = 0; entry < layout.count; ++entry) Put(hn::Zero(d), sums, entry);
  Errors errors{hn::Zero(d), hn::Zero(d)};
  for (std::size_t done = 0; done < request.count; done += at.width) {
    DrawSequences(request, request.first + static_cast<std::uint32_t>(done),
                  std::min(at.width, request.count - done), at);
    ForRows(at.length, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
      PassRows<kRows>(at, operators, row, errors);
    });
    AddGradient(request.shape, at, sums);
  }
  Put(errors.loss, sums, layout.loss);
  Put(errors.linf, sums, layout.linf);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::train
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::train {

HWY_EXPORT(GeneralScratchVectors);
HWY_EXPORT(GeneralChunkGradient);

std::size_t general_scratch_floats(const Shape& shape) {
  return HWY_DYNAMIC_DISPATCH(GeneralScratchVectors)(shape) * kernel_lanes();
}

std::size_t general_chunk_sums_floats(const Shape& shape) {
  return general_sums_layout(shape).count * kernel_lanes();
}

void general_chunk_gradient(const ChunkRequest& request, const GeneralOperators& operators,
                            float* scratch, float* sums) {
  HWY_DYNAMIC_DISPATCH(GeneralChunkGradient)(request, operators, scratch, sums);
}

}  // namespace sinkproof::train
#endif  // HWY_ONCE
