#include "train/general_kernels.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
// Processors that end at SSSE3 (before 2008) take the scalar target: each target costs seconds
// here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/general_kernels.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "train/lanes-inl.hpp"
#include "train/weigh-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::train {
namespace HWY_NAMESPACE {
namespace {

// One layer's arrays, in vectors. Of R rows only as many are kept as are needed later.
struct Layer {
  float* tokens;   // [L][f] its inputs
  float* columns;  // [f][L], their transpose
  float* mixed;    // [H][L][f] gate times the sum of weights times tokens
  float* gates;    // [H][L]
  float* query;    // [H][R][f]
  float* weights;  // [H][R][L] attention
  float* slopes;   // [H][R][L] its derivative by the key's own logit, scale held fixed
};

// Where things lie in a worker's scratch, for one vector's worth of samples; entries are vectors.
struct Sequences {
  Sequences(const Shape& shape, float* scratch)
      : kind(certificate::kind_of(shape.attention)),
        n(shape.d_model),
        f(features(shape)),
        length(shape.length),
        rows(shape.layers > 1 ? shape.length : kTileRows),
        heads(shape.heads),
        last(shape.layers - 1),
        residual(shape.residual && shape.layers > 1),  // cancels in the error of one layer
        width(Width()) {
    const auto take = [&](std::size_t count) {
      float* const at = scratch == nullptr ? nullptr : scratch + vectors * width;
      vectors += count;
      return at;
    };
    for (std::size_t l = 0; l <= last; ++l) {
      Layer& layer = layers[l];
      layer.tokens = take(length * f);
      layer.columns = take(f * length);
      layer.mixed = take(heads * length * f);
      layer.gates = take(heads * length);
      layer.query = take(heads * rows * f);
      layer.weights = take(heads * rows * length);
      // The exponential is its own derivative.
      const bool same = kind.kernel == Kernel::kExp;
      layer.slopes = same ? layer.weights : take(heads * rows * length);
    }
    is_trigger = take(length);
    mean = take(n);
    present = take(1);
    pulled = take(heads * length * f);
    d_gate = take(heads * length);
    d_out = take(length * f);
    d_in = take(length * f);
    d_mixed = take(heads * rows * f);
    d_logits = take(heads * rows * length);
  }
  [[nodiscard]] std::size_t token_step() const { return f * width; }
  [[nodiscard]] std::size_t key_step() const { return length * width; }

  const AttentionKind& kind;
  std::size_t n, f, length, rows, heads, last;
  bool residual;
  std::size_t width;
  float bos_pull = 0;  // ChunkRequest::bos_pull
  std::array<Layer, kMostLayers> layers;
  float* is_trigger;        // [L], 1 where the token is the trigger
  float* mean;              // [n], what the trigger row's target has beside the token
  float* present;           // 1 in lanes with a sample, else 0
  float* pulled;            // [H][L][f] sum of d logits times tokens
  float* d_gate;            // [H][L] d of the gates' logits
  float* d_out;             // [L][f] of a layer, n entries a row: of the last one out - y; zero in
                            // lanes without a sample
  float* d_in;              // [L][f] the same of its inputs
  float* d_mixed;           // [H][R][f]
  float* d_logits;          // [H][R][L]
  std::size_t vectors = 0;  // all of the above
};

// One head of a layer: its operators, and its arrays from row `row` on.
struct Head {
  Head(const Sequences& at, const GeneralOperators& operators, std::size_t l, std::size_t head,
       std::size_t row)
      : stride(row_stride(at.f)) {
    const Layer& layer = at.layers[l];
    const std::size_t model = (l * at.heads + head) * at.f * stride;
    const std::size_t full = head * at.length + row;
    const std::size_t kept = head * at.rows + row % at.rows;
    logits = operators.logits + model;
    logits_transposed = operators.logits_transposed + model;
    value = operators.value + model;
    value_transposed = operators.value_transposed + model;
    gate = operators.gates + (l * at.heads + head) * stride;
    mixed = layer.mixed + full * at.token_step();
    pulled = at.pulled + full * at.token_step();
    gates = layer.gates + full * at.width;
    d_gate = at.d_gate + full * at.width;
    query = layer.query + kept * at.token_step();
    d_mixed = at.d_mixed + kept * at.token_step();
    weights = layer.weights + kept * at.key_step();
    slopes = layer.slopes + kept * at.key_step();
    d_logits = at.d_logits + kept * at.key_step();
  }
  std::size_t stride;
  const float *logits, *logits_transposed, *value, *value_transposed, *gate;
  float *mixed, *pulled, *gates, *d_gate, *query, *d_mixed, *weights, *slopes, *d_logits;
};

// Draws samples first .. first + valid - 1 of the batch into the lanes, and their targets.
void DrawSequences(const ChunkRequest& request, std::uint32_t first, std::size_t valid,
                   const Sequences& at) {
  const D d;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0F);
  const std::size_t n = at.n;
  const std::size_t f = at.f;
  const std::size_t length = at.length;
  float* const tokens = at.layers[0].tokens;
  float* const columns = at.layers[0].columns;
  float* const mean = at.mean;
  const auto put = [=](std::size_t row, std::size_t c, V value) {
    Put(value, tokens, row * f + c);
    Put(value, columns, c * length + row);
  };
  V position_of_trigger;
  Streams streams(request.batch, length, first, position_of_trigger);
  Put(PresentLanes(valid), at.present, 0);
  for (std::size_t c = 0; c < n; ++c) {
    put(0, c, c == 0 ? one : zero);
    Put(zero, mean, c);
  }
  Put(zero, at.is_trigger, 0);
  const V share = hn::Div(one, hn::Sub(position_of_trigger, one));
  for (std::size_t row = 1; row < length; ++row) {
    const V position = hn::Set(d, static_cast<float>(row + 1));
    const V is_trigger = hn::IfThenElseZero(hn::Eq(position, position_of_trigger), one);
    const V before = hn::IfThenElseZero(hn::Le(position, position_of_trigger), share);
    put(row, 0, zero);
    put(row, 1, is_trigger);
    for (std::size_t c = 2; c + 1 < n; ++c) put(row, c, streams.Noise());
    put(row, n - 1, hn::Sub(one, is_trigger));
    Put(is_trigger, at.is_trigger, row);
    for (std::size_t c = 1; c < n; ++c) {
      Put(hn::MulAdd(before, At(tokens, row * f + c), At(mean, c)), mean, c);
    }
  }
}

// The feature that is 1 in the rows of every layer, if the stack has one.
void PutUnits(const Sequences& at) {
  const V one = hn::Set(D(), 1.0F);
  if (at.f == at.n) return;
  for (std::size_t l = 0; l <= at.last; ++l) {
    for (std::size_t row = 0; row < at.length; ++row) {
      Put(one, at.layers[l].tokens, row * at.f + at.n);
      Put(one, at.layers[l].columns, at.n * at.length + row);
    }
  }
}

// A gate times the mixed tokens of its row, of f features; returns the gate.
HWY_INLINE V GateRow(std::size_t f, const float* gate, const float* token, float* mixed) {
  const D d;
  V logit = hn::Zero(d);
  for (std::size_t c = 0; c < f; ++c) {
    logit = hn::MulAdd(hn::Set(d, gate[c]), At(token, c), logit);
  }
  const V open = KernelAt<Kernel::kSigmoid>(logit, hn::Zero(d)).value;
  for (std::size_t c = 0; c < f; ++c) Put(hn::Mul(open, At(mixed, c)), mixed, c);
  return open;
}

// Turns d of a row's gated mixed tokens into d of the ungated ones; returns d of the gate's logit.
HWY_INLINE V GateRowBackward(std::size_t f, V open, const float* mixed, float* d_mixed) {
  const D d;
  V along = hn::Zero(d);
  for (std::size_t c = 0; c < f; ++c) {
    along = hn::MulAdd(At(d_mixed, c), At(mixed, c), along);
    Put(hn::Mul(open, At(d_mixed, c)), d_mixed, c);
  }
  return hn::Mul(along, hn::Sub(hn::Set(d, 1.0F), open));
}

// The zeros above the diagonal in a tile of rows, which products of whole tiles read.
template <int kRows>
HWY_INLINE void HideLaterKeys(const Sequences& at, std::size_t row, float* rows) {
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = row + r + 1; k < row + kRows; ++k) {
      Put(hn::Zero(D()), rows + r * at.key_step(), k);
    }
  }
}

// Rows row .. row + kRows - 1 of one head: weights, mixed tokens, and its part of the output, which
// is added to `out`.
template <int kRows>
HWY_INLINE void HeadForward(const Sequences& at, const Layer& layer, const Head& head,
                            std::size_t row, float* out) {
  const std::size_t width = at.width;
  const std::size_t keys = row + kRows;
  const std::size_t token_step = at.token_step();
  const std::size_t key_step = at.key_step();
  const float* const tokens = layer.tokens + row * token_step;
  Multiply<kRows, Operand::kScalar>(at.f, at.f, {tokens, token_step, width},
                                    {head.logits, head.stride}, {head.query, token_step},
                                    Start::kZero);
  Multiply<kRows, Operand::kVector>(keys, at.f, {head.query, token_step, width},
                                    {layer.columns, key_step}, {head.weights, key_step},
                                    Start::kZero);
  for (std::size_t r = 0; r < kRows; ++r) {
    Weigh(at.kind, row + r + 1, head.weights + r * key_step, head.slopes + r * key_step);
  }
  HideLaterKeys<kRows>(at, row, head.weights);
  Multiply<kRows, Operand::kVector>(at.f, keys, {head.weights, key_step, width},
                                    {layer.tokens, token_step}, {head.mixed, token_step},
                                    Start::kZero);
  if (at.kind.gated) {
    for (std::size_t r = 0; r < kRows; ++r) {
      Put(GateRow(at.f, head.gate, tokens + r * token_step, head.mixed + r * token_step),
          head.gates, r);
    }
  }
  Multiply<kRows, Operand::kScalar>(at.n, at.f, {head.mixed, token_step, width},
                                    {head.value_transposed, head.stride}, {out, token_step},
                                    Start::kAccumulate);
}

// The penalty on attention to BOS: what it adds to d of the weights of rows row .. row + kRows - 1.
// The first row sees BOS alone and is free.
template <int kRows>
HWY_INLINE void PullFromBos(const Sequences& at, const Head& head, std::size_t row) {
  const V pull = hn::Mul(hn::Set(D(), at.bos_pull), At(at.present, 0));
  for (std::size_t r = row == 0 ? 1 : 0; r < kRows; ++r) {
    float* const d_bos = head.d_logits + r * at.key_step();
    Put(hn::MulAdd(pull, At(head.weights + r * at.key_step(), 0), At(d_bos, 0)), d_bos, 0);
  }
}

// From d of the outputs of rows row .. row + kRows - 1 to one head's d logits, pulled back on the
// keys.
template <int kRows>
HWY_INLINE void HeadBackward(const Sequences& at, const Layer& layer, const Head& head,
                             std::size_t row) {
  const std::size_t width = at.width;
  const std::size_t keys = row + kRows;
  const std::size_t token_step = at.token_step();
  const std::size_t key_step = at.key_step();
  Multiply<kRows, Operand::kScalar>(at.f, at.n, {at.d_out + row * token_step, token_step, width},
                                    {head.value, head.stride}, {head.d_mixed, token_step},
                                    Start::kZero);
  if (at.kind.gated) {
    for (std::size_t r = 0; r < kRows; ++r) {
      Put(GateRowBackward(at.f, At(head.gates, r), head.mixed + r * token_step,
                          head.d_mixed + r * token_step),
          head.d_gate, r);
    }
  }
  Multiply<kRows, Operand::kVector>(keys, at.f, {head.d_mixed, token_step, width},
                                    {layer.columns, key_step}, {head.d_logits, key_step},
                                    Start::kZero);
  if (at.bos_pull != 0) PullFromBos<kRows>(at, head, row);
  for (std::size_t r = 0; r < kRows; ++r) {
    WeighBackward(at.kind.normalised, row + r + 1, head.weights + r * key_step,
                  head.slopes + r * key_step, head.d_logits + r * key_step);
  }
  HideLaterKeys<kRows>(at, row, head.d_logits);
  Multiply<kRows, Operand::kVector>(at.f, keys, {head.d_logits, key_step, width},
                                    {layer.tokens, token_step}, {head.pulled, token_step},
                                    Start::kZero);
}

// What the outputs of a layer start from: the output bias; the layer's inputs if they are added.
// Behind the last layer less the targets, so that its outputs are errors.
template <int kRows>
HWY_INLINE void StartRows(const Sequences& at, const float* bias, std::size_t l, std::size_t row,
                          float* out) {
  const D d;
  const std::size_t n = at.n;
  const std::size_t f = at.f;
  const bool last = l == at.last;
  const bool residual = at.residual;
  const float* const mean = at.mean;
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* const input = at.layers[l].tokens + (row + r) * at.token_step();
    const float* const token = at.layers[0].tokens + (row + r) * at.token_step();
    const V is_trigger = At(at.is_trigger, row + r);
    float* const start = out + r * f * Width();
    for (std::size_t c = 0; c < n; ++c) Put(hn::Set(d, bias[c]), start, c);
    for (std::size_t c = 0; residual && c < n; ++c) {
      const V added = last ? hn::Sub(At(input, c), At(token, c)) : At(input, c);
      Put(hn::Add(At(start, c), added), start, c);
    }
    for (std::size_t c = 0; last && c < n; ++c) {
      Put(hn::NegMulAdd(is_trigger, At(mean, c), At(start, c)), start, c);
    }
  }
}

// Rows row .. row + kRows - 1 of layer l forward, into the next layer's inputs or, behind the last
// layer, into d_out.
template <int kRows>
HWY_INLINE void ForwardRows(const Sequences& at, const GeneralOperators& operators, std::size_t l,
                            std::size_t row) {
  const std::size_t n = at.n;
  const std::size_t f = at.f;
  const std::size_t length = at.length;
  float* const out = (l == at.last ? at.d_out : at.layers[l + 1].tokens) + row * at.token_step();
  StartRows<kRows>(at, operators.bias + l * row_stride(f), l, row, out);
  for (std::size_t head = 0; head < at.heads; ++head) {
    HeadForward<kRows>(at, at.layers[l], Head(at, operators, l, head, row), row, out);
  }
  if (l == at.last) return;
  float* const columns = at.layers[l + 1].columns;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < n; ++c) Put(At(out, r * f + c), columns, c * length + row + r);
  }
}

template <int kRows>
HWY_INLINE void BackwardRows(const Sequences& at, const GeneralOperators& operators, std::size_t l,
                             std::size_t row) {
  for (std::size_t head = 0; head < at.heads; ++head) {
    HeadBackward<kRows>(at, at.layers[l], Head(at, operators, l, head, row), row);
  }
}

struct Errors {
  V loss, linf;
};

// Adds up the errors of rows row .. row + kRows - 1, their squares first of these rows alone: one
// by one the total would round more. Makes them zero in lanes without a sample.
template <int kRows>
HWY_INLINE void AddErrors(const Sequences& at, std::size_t row, Errors& errors) {
  const V present = At(at.present, 0);
  const std::size_t n = at.n;
  V squares = hn::Zero(D());
  V largest = squares;
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const error = at.d_out + (row + r) * at.token_step();
    for (std::size_t c = 0; c < n; ++c) {
      const V value = hn::Mul(present, At(error, c));
      Put(value, error, c);
      squares = hn::MulAdd(value, value, squares);
      largest = hn::Max(largest, hn::Abs(value));
    }
  }
  errors.linf = hn::Max(errors.linf, largest);
  errors.loss = hn::Add(errors.loss, squares);
}

// d of layer l's inputs row .. row + kRows - 1, as queries and as keys of all later rows.
template <int kRows>
HWY_INLINE void InputRows(const Sequences& at, const GeneralOperators& operators, std::size_t l,
                          std::size_t row) {
  const D d;
  const std::size_t width = at.width;
  const std::size_t token_step = at.token_step();
  const std::size_t key_step = at.key_step();
  const std::size_t later = at.length - row;
  const std::size_t entries = kRows * at.f;
  const bool residual = at.residual;
  const float* const d_out = at.d_out + row * token_step;
  float* const d_in = at.d_in + row * token_step;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    Put(residual ? At(d_out, entry) : hn::Zero(d), d_in, entry);
  }
  for (std::size_t h = 0; h < at.heads; ++h) {
    const Head head(at, operators, l, h, row);
    Multiply<kRows, Operand::kScalar>(at.n, at.f, {head.pulled, token_step, width},
                                      {head.logits_transposed, head.stride}, {d_in, token_step},
                                      Start::kAccumulate);
    if (at.kind.gated) {
      Multiply<kRows, Operand::kScalar>(at.n, 1, {head.d_gate, width, 0}, {head.gate, 0},
                                        {d_in, token_step}, Start::kAccumulate);
    }
    Multiply<kRows, Operand::kVector>(at.n, later, {head.d_logits + row * width, width, key_step},
                                      {head.query, token_step}, {d_in, token_step},
                                      Start::kAccumulate);
    Multiply<kRows, Operand::kVector>(at.n, later, {head.weights + row * width, width, key_step},
                                      {head.d_mixed, token_step}, {d_in, token_step},
                                      Start::kAccumulate);
  }
}

// Layer l's part of the sums, or what is added to it.
void AddGradient(const Shape& shape, const Sequences& at, std::size_t l, Start start, float* sums) {
  const std::size_t width = at.width;
  const std::size_t token_step = at.token_step();
  const GeneralSumsLayout layout = general_sums_layout(shape);
  const Layer& layer = at.layers[l];
  float* const layer_sums = sums + l * layout.layer * width;
  for (std::size_t head = 0; head < at.heads; ++head) {
    float* const own = layer_sums + head * layout.head * width;
    const std::size_t rows = head * at.length;
    AddOuter(at.f, at.f, at.length, {layer.tokens, width, token_step},
             {at.pulled + rows * token_step, token_step}, own + layout.logits * width, start,
             false);
    AddOuter(at.n, at.f, at.length, {at.d_out, width, token_step},
             {layer.mixed + rows * token_step, token_step}, own + layout.value * width, start,
             false);
    if (at.kind.gated) {
      AddOuter(1, at.f, at.length, {at.d_gate + rows * width, 0, width}, {layer.tokens, token_step},
               own + layout.gate * width, start, false);
    }
  }
  for (std::size_t c = 0; c < at.n; ++c) {
    V sum = start == Start::kZero ? hn::Zero(D()) : At(layer_sums, layout.bias + c);
    for (std::size_t row = 0; row < at.length; ++row) {
      sum = hn::Add(sum, At(at.d_out, row * at.f + c));
    }
    Put(sum, layer_sums, layout.bias + c);
  }
}

// Forward through all layers and back; `sums` start or go on. The last layer's rows go back as soon
// as they are there.
void PassStack(const Shape& shape, const GeneralOperators& operators, Sequences& at, Start start,
               Errors& errors, float* sums) {
  for (std::size_t l = 0; l < at.last; ++l) {
    ForRows(at.length, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
      ForwardRows<kRows>(at, operators, l, row);
    });
  }
  ForRows(at.length, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
    ForwardRows<kRows>(at, operators, at.last, row);
    AddErrors<kRows>(at, row, errors);
    BackwardRows<kRows>(at, operators, at.last, row);
  });
  AddGradient(shape, at, at.last, start, sums);
  for (std::size_t l = at.last; l > 0; --l) {
    ForRows(at.length, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
      InputRows<kRows>(at, operators, l, row);
    });
    std::swap(at.d_out, at.d_in);
    ForRows(at.length, [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
      BackwardRows<kRows>(at, operators, l - 1, row);
    });
    AddGradient(shape, at, l - 1, start, sums);
  }
}

std::size_t GeneralScratchVectors(const Shape& shape) { return Sequences(shape, nullptr).vectors; }

void GeneralChunkGradient(const ChunkRequest& request, const GeneralOperators& operators,
                          float* scratch, float* sums) {
  const D d;
  Sequences at(request.shape, scratch);
  at.bos_pull = request.bos_pull;
  const GeneralSumsLayout layout = general_sums_layout(request.shape);
  Errors errors{hn::Zero(d), hn::Zero(d)};
  PutUnits(at);
  for (std::size_t done = 0; done < request.count; done += at.width) {
    DrawSequences(request, request.first + static_cast<std::uint32_t>(done),
                  std::min(at.width, request.count - done), at);
    PassStack(request.shape, operators, at, done == 0 ? Start::kZero : Start::kAccumulate, errors,
              sums);
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
