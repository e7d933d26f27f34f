// One head of attention on one sequence, forward and backward, compiled once for each instruction
// set, as products-inl.hpp is. Keys are counted from the slot, if there is one: key `slots + k` is
// token k's. All products run on the register tile; a block of rows stops at the last key it sees.
#if defined(SINKPROOF_LANGUAGE_HEADS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_HEADS_INL_HPP
#undef SINKPROOF_LANGUAGE_HEADS_INL_HPP
#else
#define SINKPROOF_LANGUAGE_HEADS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "language_training/plan.hpp"
#include "language_training/products-inl.hpp"
#include "language_training/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// Sizes of a head, and what it works in.
struct HeadSpace {
  // With `floats` null only counts.
  HeadSpace(const Decoder& decoder, float* floats)
      : width(decoder.head_width()),
        slots(decoder.kind.slots()),
        slot_key(decoder.slot_key_width()),
        keys(slots + decoder.length),
        row(rounded_up(keys, kMostPanel)) {
    const auto take = [&](std::size_t wanted) {
      float* const at = floats == nullptr ? nullptr : floats + count;
      count += rounded_up(wanted, kPadding);
      return at;
    };
    const std::size_t panels = rounded_up(width, kMostPanel);
    key_rows = take(keys * width);
    value_rows = take(keys * width);
    across = take(width * row);
    natural = take(keys * panels);
    queries = take(keys * panels);
    outputs = take(keys * panels);
    d_logits = take(decoder.length * row);
  }

  std::size_t width, slots;
  std::size_t slot_key;  // floats of a slot's key; the others are 0
  std::size_t keys;
  std::size_t row;               // floats of a row of weights
  float *key_rows, *value_rows;  // [keys][width]; backward d of them
  float *across, *natural;       // keys or values packed: transposed, and as they are
  float *queries, *outputs;      // packed, backward
  float* d_logits;               // [length][row]
  std::size_t count = 0;
};

// The keys that a row sees: those below `slots`, and first..last.
struct Seen {
  std::size_t slots, first, last;
};
HWY_INLINE Seen SeenBy(const Decoder& decoder, std::size_t row) {
  const std::size_t slots = decoder.kind.slots();
  return {slots, slots + decoder.first_seen(row), slots + decoder.last_seen(row)};
}
HWY_INLINE hn::Mask<D> SeenMask(const Seen& seen, std::size_t at) {
  const V key = hn::Iota(D(), static_cast<float>(at));
  return hn::Or(hn::And(hn::Ge(key, All(static_cast<float>(seen.first))),
                        hn::Le(key, All(static_cast<float>(seen.last)))),
                hn::Lt(key, All(static_cast<float>(seen.slots))));
}

// From q.k to weights, in place; zero where nothing is seen, to the row's end.
HWY_INLINE void SoftmaxRow(const Seen& seen, float scale, float* row, std::size_t end) {
  const std::size_t width = Width();
  V most = All(-1e30F);
  for (std::size_t i = 0; i < end; i += width) {
    const V logit =
        hn::IfThenElse(SeenMask(seen, i), hn::Mul(At(row + i), All(scale)), All(-1e30F));
    most = hn::Max(most, logit);
    Put(logit, row + i);
  }
  const V largest = hn::MaxOfLanes(D(), most);
  V sum = hn::Zero(D());
  for (std::size_t i = 0; i < end; i += width) {
    const V power = hn::Exp(D(), hn::Sub(At(row + i), largest));
    sum = hn::Add(sum, power);
    Put(power, row + i);
  }
  const V inverse = All(1.0F / Sum(sum));
  for (std::size_t i = 0; i < end; i += width) Put(hn::Mul(At(row + i), inverse), row + i);
}

// The other kernels of attention_kind.hpp; `share` is one over the number of tokens seen.
HWY_INLINE V Kernel(Weighing weighing, V share, V logit) {
  const V positive = hn::Max(logit, hn::Zero(D()));
  switch (weighing) {
    case Weighing::kSigmoid:
      return Sigmoid(logit);
    case Weighing::kRelu:
      return hn::Mul(share, positive);
    case Weighing::kElu1:  // one of the two terms that are added is what it is at 0
      return hn::Add(hn::Exp(D(), hn::Min(logit, hn::Zero(D()))), positive);
    case Weighing::kLinear:
    case Weighing::kSoftmax:
      break;
  }
  return logit;
}
// Its slope, where it has this value.
HWY_INLINE V KernelSlope(Weighing weighing, V share, V value) {
  const V one = All(1.0F);
  switch (weighing) {
    case Weighing::kSigmoid:
      return hn::Mul(value, hn::Sub(one, value));
    case Weighing::kRelu:
      return hn::IfThenElseZero(hn::Gt(value, hn::Zero(D())), share);
    case Weighing::kElu1:
      return hn::Min(value, one);
    case Weighing::kLinear:
    case Weighing::kSoftmax:
      break;
  }
  return one;
}

// Whether a row's divisor, which WeighRow returned, depends on its kernels.
HWY_INLINE bool DividedBySum(const AttentionKind& kind, float divisor) {
  return kind.divisor == Divisor::kSum ||
         (kind.divisor == Divisor::kSize && std::abs(divisor) > 1.0F);
}

// Returns the sum of the row's kernels if their weights are divided by it (of kSize by its size),
// or 1. For softmax, whose way back does not ask, 1.
HWY_INLINE float WeighRow(const AttentionKind& kind, const Seen& seen, float scale, float* row,
                          std::size_t row_floats) {
  constexpr float kLeastSum = 1e-30F;  // where all kernels are too small for a float
  const std::size_t end = Padded(seen.last + 1, Width());
  std::fill(row + end, row + row_floats, 0.0F);
  if (kind.weighing == Weighing::kSoftmax) {
    SoftmaxRow(seen, scale, row, end);
    return 1;
  }
  const V share = All(1.0F / static_cast<float>(seen.last - seen.first + 1));
  V sum = hn::Zero(D());
  for (std::size_t i = 0; i < end; i += Width()) {
    const V kernel = hn::IfThenElseZero(
        SeenMask(seen, i), Kernel(kind.weighing, share, hn::Mul(At(row + i), All(scale))));
    sum = hn::Add(sum, kernel);
    Put(kernel, row + i);
  }
  if (kind.divisor == Divisor::kOne) return 1;
  float all = Sum(sum);
  if (kind.divisor == Divisor::kSum) all = std::max(all, kLeastSum);
  if (!DividedBySum(kind, all)) return 1;
  const V inverse = All(1.0F / std::abs(all));
  for (std::size_t i = 0; i < end; i += Width()) Put(hn::Mul(At(row + i), inverse), row + i);
  return all;
}

// From d of the weights to d of the logits, in place; `sum` is what WeighRow returned.
HWY_INLINE void WeighRowBackward(const AttentionKind& kind, const Seen& seen, float sum,
                                 const float* weights, float* d_row, std::size_t row_floats) {
  const std::size_t end = Padded(seen.last + 1, Width());
  std::fill(d_row + end, d_row + row_floats, 0.0F);
  const bool is_softmax = kind.weighing == Weighing::kSoftmax;
  const bool divided = is_softmax || DividedBySum(kind, sum);
  const float sign = sum < 0 ? -1.0F : 1.0F;
  const V along = divided ? All(sign * Dot(end, weights, d_row)) : hn::Zero(D());
  const float size = std::abs(sum);
  const V inverse = All(1.0F / size);
  const V share = All(1.0F / static_cast<float>(seen.last - seen.first + 1));
  for (std::size_t i = 0; i < end; i += Width()) {
    const V weight = At(weights + i);
    const V d = hn::Sub(At(d_row + i), along);
    if (is_softmax) {
      Put(hn::Mul(weight, d), d_row + i);
      continue;
    }
    const V slope = KernelSlope(kind.weighing, share, hn::Mul(weight, All(size)));
    Put(hn::IfThenElseZero(SeenMask(seen, i), hn::Mul(hn::Mul(d, inverse), slope)), d_row + i);
  }
}

// One head of a sequence: where its queries, keys and values lie, rows `stride` apart; what stands
// in its slot. Null where the kind has none.
struct HeadInput {
  const float *query, *key, *value;
  std::size_t stride;
  const float *slot_key, *slot_value, *value_bias;
  float sink;         // added to the slot's logit
  const float* bias;  // [2 length], added to the logits of tokens: see BiasOf; null: nothing
};

// What is added to a row's logits of token 0, 1, ...: an entry depends on the distance alone. Entry
// i of `all` is for a distance of length - 1 - i, and those behind are for 0.
template <typename Float>
HWY_INLINE Float* BiasOf(const Decoder& decoder, std::size_t row, Float* all) {
  return all + (decoder.length - 1 - row);
}

// Rows `stride` apart.
struct Rows {
  const float* at;
  std::size_t stride;
};

// A head's keys or values with the slot's before them: where they lie, or copied into `to` if that
// is elsewhere. Of the slot's `known` floats are given, the others are 0.
Rows WithSlot(const HeadSpace& space, const float* slot, std::size_t known, Rows rows, float* to) {
  if (space.slots == 0) return rows;
  std::fill_n(to, space.width, 0.0F);
  if (slot != nullptr) std::copy_n(slot, known, to);
  for (std::size_t k = 1; k < space.keys; ++k, rows.at += rows.stride) {
    std::copy_n(rows.at, space.width, to + k * space.width);
  }
  return {to, space.width};
}

Rows KeyRows(const HeadSpace& space, const HeadInput& in) {
  return WithSlot(space, in.slot_key, space.slot_key, {in.key, in.stride}, space.key_rows);
}

Rows ValueRows(const HeadSpace& space, const HeadInput& in) {
  Rows rows = WithSlot(space, in.slot_value, space.width, {in.value, in.stride}, space.value_rows);
  if (in.value_bias == nullptr) return rows;
  for (std::size_t k = 0; k < space.keys; ++k) {
    for (std::size_t c = 0; c < space.width; ++c) {
      const float bias = k < space.slots ? 0.0F : in.value_bias[c];
      space.value_rows[k * space.width + c] = rows.at[k * rows.stride + c] + bias;
    }
  }
  return {space.value_rows, space.width};
}

// What a head keeps of its way forward: weights [length][space.row], and behind them what each
// row's were divided by.
std::size_t KeptOfHead(const Decoder& decoder, const HeadSpace& space) {
  return decoder.length * space.row + rounded_up(decoder.length, kPadding);
}

// `weights` as KeptOfHead has them; out rows `out_stride` apart.
void HeadForward(const Decoder& decoder, const HeadSpace& space, const HeadInput& in,
                 float* weights, float* out, std::size_t out_stride) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(space.width));
  const Rows keys = KeyRows(space, in);
  const Rows values = ValueRows(space, in);
  PackTransposed(space.width, space.keys, keys.at, keys.stride, space.across);
  Pack(space.keys, space.width, values.at, values.stride, space.natural);
  for (std::size_t row = 0; row < decoder.length; row += kTileRows) {
    const std::size_t rows = std::min<std::size_t>(kTileRows, decoder.length - row);
    const std::size_t seen = space.slots + decoder.last_seen(row + rows - 1) + 1;
    float* const at = weights + row * space.row;
    Product(rows, Padded(seen, PanelWidth()), space.width,
            RowMajor(in.query + row * in.stride, in.stride), space.across, space.width,
            {at, space.row}, Start::kZero);
    for (std::size_t r = 0; r < rows; ++r) {
      if (space.slots == 1) at[r * space.row] += in.sink / scale;
      for (std::size_t k = 0; in.bias != nullptr && k <= decoder.last_seen(row + r); ++k) {
        at[r * space.row + space.slots + k] += BiasOf(decoder, row + r, in.bias)[k] / scale;
      }
      weights[decoder.length * space.row + row + r] =
          WeighRow(decoder.kind, SeenBy(decoder, row + r), scale, at + r * space.row, space.row);
    }
    Product(rows, space.width, seen, RowMajor(at, space.row), space.natural, space.keys,
            {out + row * out_stride, out_stride}, Start::kZero);
  }
}

// d[keys][width] = a^T b, a = [length][row] of weights or of d of logits, b packed: only rows that
// see a key count.
void PullOnKeys(const Decoder& decoder, const HeadSpace& space, const float* a, const float* packed,
                float* d) {
  for (std::size_t key = 0; key < space.keys; key += kTileRows) {
    const std::size_t keys = std::min<std::size_t>(kTileRows, space.keys - key);
    const std::size_t token = key < space.slots ? 0 : key - space.slots;
    const std::size_t first = token < std::max<std::size_t>(decoder.prefix, 1) ? 0 : token;
    Product(keys, space.width, decoder.length - first,
            Transposed(a + first * space.row + key, space.row), packed + first * PanelWidth(),
            decoder.length, {d + key * space.width, space.width}, Start::kZero);
  }
}

// d of logits of all rows, of d_out rows `out_stride` apart, and d of queries into rows
// in.stride apart. Returns d of the slot's learned logit; adds to d_bias where it is not null.
float RowsBackward(const Decoder& decoder, const HeadSpace& space, const HeadInput& in,
                   const float* weights, const float* d_out, std::size_t out_stride, float* d_query,
                   float* d_bias) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(space.width));
  float d_sink = 0;
  for (std::size_t row = 0; row < decoder.length; row += kTileRows) {
    const std::size_t rows = std::min<std::size_t>(kTileRows, decoder.length - row);
    const std::size_t seen = space.slots + decoder.last_seen(row + rows - 1) + 1;
    float* const at = space.d_logits + row * space.row;
    Product(rows, Padded(seen, PanelWidth()), space.width,
            RowMajor(d_out + row * out_stride, out_stride), space.across, space.width,
            {at, space.row}, Start::kZero);
    for (std::size_t r = 0; r < rows; ++r) {
      float* const d_row = at + r * space.row;
      WeighRowBackward(decoder.kind, SeenBy(decoder, row + r),
                       weights[decoder.length * space.row + row + r],
                       weights + (row + r) * space.row, d_row, space.row);
      d_sink += d_row[0];
      for (std::size_t k = 0; d_bias != nullptr && k <= decoder.last_seen(row + r); ++k) {
        BiasOf(decoder, row + r, d_bias)[k] += d_row[space.slots + k];
      }
      for (std::size_t i = 0; i < space.row; i += Width()) {
        Put(hn::Mul(At(d_row + i), All(scale)), d_row + i);
      }
    }
    Product(rows, space.width, seen, RowMajor(at, space.row), space.natural, space.keys,
            {d_query + row * in.stride, in.stride}, Start::kZero);
  }
  return d_sink;
}

// Where a head's gradients go: its queries', keys' and values' rows, in.stride apart, are set; the
// others, null where the kind has none, are added to.
struct HeadGradient {
  float *query, *key, *value;
  float *slot_key, *slot_value, *value_bias, *sink, *bias;
};

void ScatterRows(const HeadSpace& space, const float* from, float* slot, std::size_t known,
                 float* rows, std::size_t stride) {
  if (space.slots == 1) {
    for (std::size_t c = 0; slot != nullptr && c < known; ++c) slot[c] += from[c];
    from += space.width;
  }
  for (std::size_t k = space.slots; k < space.keys; ++k, from += space.width, rows += stride) {
    std::copy_n(from, space.width, rows);
  }
}

void HeadBackward(const Decoder& decoder, const HeadSpace& space, const HeadInput& in,
                  const float* weights, const float* d_out, std::size_t out_stride,
                  const HeadGradient& gradient) {
  const std::size_t width = space.width;
  const Rows keys = KeyRows(space, in);
  const Rows values = ValueRows(space, in);
  PackTransposed(width, space.keys, values.at, values.stride, space.across);
  Pack(space.keys, width, keys.at, keys.stride, space.natural);
  Pack(decoder.length, width, in.query, in.stride, space.queries);
  Pack(decoder.length, width, d_out, out_stride, space.outputs);
  const float d_sink =
      RowsBackward(decoder, space, in, weights, d_out, out_stride, gradient.query, gradient.bias);
  if (gradient.sink != nullptr) *gradient.sink += d_sink;
  PullOnKeys(decoder, space, space.d_logits, space.queries, space.key_rows);
  ScatterRows(space, space.key_rows, gradient.slot_key, space.slot_key, gradient.key, in.stride);
  PullOnKeys(decoder, space, weights, space.outputs, space.value_rows);
  ScatterRows(space, space.value_rows, gradient.slot_value, width, gradient.value, in.stride);
  if (gradient.value_bias == nullptr) return;
  for (std::size_t k = space.slots; k < space.keys; ++k) {
    for (std::size_t c = 0; c < width; ++c) {
      gradient.value_bias[c] += space.value_rows[k * width + c];
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
