#include "language_training/pass.hpp"

// Register tiles are arrays of vectors, which vector-length-agnostic instruction sets do not have.
// Processors that end at SSSE3 (before 2008) take the scalar target: each target costs seconds
// here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "language_training/pass.cpp"
// clang-format off: foreach_target.h includes this file once for each instruction set; it comes first.
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// clang-format on

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "language_training/heads-inl.hpp"
#include "language_training/products-inl.hpp"
#include "language_training/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

// What a layer keeps of its way forward; rows are tokens of all sequences.
struct LayerSpace {
  float *in, *normed1, *qkv, *mixed, *middle, *normed2, *hidden, *slope;
  float* weights;          // [sequences][heads], each as KeptOfHead has them
  float *gates, *ungated;  // [rows][heads], [rows][width]
  NormOf *norm1, *norm2;   // [rows]
};

// Everything of a pass over `sequences` sequences, laid out one behind the other.
struct Space {
  // With `floats` null only counts.
  Space(const Decoder& decoder, std::size_t sequences, float* floats)
      : rows(sequences * decoder.length),
        logit_row(rounded_up(decoder.vocabulary(), kMostPanel)),
        head(decoder, floats) {
    count = head.count;
    const std::size_t width = decoder.width;
    const auto take = [&](std::size_t wanted) {
      float* const at = floats == nullptr ? nullptr : floats + count;
      count += rounded_up(wanted, kPadding);
      return at;
    };
    const auto take_norms = [&] { return reinterpret_cast<NormOf*>(take(2 * rows)); };
    head_weights = KeptOfHead(decoder, head);
    for (std::size_t l = 0; l < kMostLayers && l < decoder.layers; ++l) {
      layers[l] = {take(rows * width),
                   take(rows * width),
                   take(rows * 3 * width),
                   take(rows * width),
                   take(rows * width),
                   take(rows * width),
                   take(rows * decoder.hidden()),
                   take(rows * decoder.wide()),
                   take(sequences * decoder.heads * head_weights),
                   nullptr,
                   nullptr,
                   take_norms(),
                   take_norms()};
      if (!decoder.kind.gated) continue;
      layers[l].gates = take(rows * decoder.heads);
      layers[l].ungated = take(rows * width);
    }
    if (decoder.positions.bias == LogitBias::kRelative) {
      biases = take(2 * decoder.heads * decoder.length);
      d_biases = take(2 * decoder.heads * decoder.length);
    }
    out = take(rows * width);
    normed = take(rows * width);
    norm = take_norms();
    logits = take(rows * logit_row);
    d_out = take(rows * width);
    d_normed = take(rows * width);
    d_wide = take(rows * decoder.wide());
    const std::size_t widest = std::max(decoder.wide(), logit_row);
    packed = take(rows * rounded_up(widest, kMostPanel));
    packed_left = take(rows * rounded_up(widest, kMostTile));
  }

  static constexpr std::size_t kMostLayers = language_training::kMostLayers;
  std::size_t rows, logit_row;
  std::size_t head_weights = 0;
  HeadSpace head;
  LayerSpace layers[kMostLayers];
  float *biases = nullptr, *d_biases = nullptr;  // learned ones, as HeadInput::bias has them
  float *out, *normed, *logits, *d_out, *d_normed, *d_wide;
  float *packed, *packed_left;
  NormOf* norm;
  std::size_t count = 0;
};

static_assert(sizeof(NormOf) == 2 * sizeof(float));

// A pass's request with what is derived of it.
struct Pass {
  const Decoder& decoder;
  const Layout& layout;
  const PassRequest& request;
  Space space;

  [[nodiscard]] const float* weight(std::size_t at) const { return request.weights + at; }
  [[nodiscard]] const PackedMatrix& matrix(std::size_t which) const {
    return request.plan.matrices[which];
  }
};

// y = x m of all rows.
HWY_INLINE void Multiply(const Pass& pass, const PackedMatrix& m, const float* x, float* y,
                         std::size_t cols, Start start) {
  Product(pass.space.rows, cols, m.depth, RowMajor(x, m.depth), pass.request.packed + m.forward,
          m.depth, {y, cols}, start);
}
// d_x = d_y m^T of all rows, those of d_y `stride` apart.
HWY_INLINE void MultiplyBack(const Pass& pass, const PackedMatrix& m, const float* d_y,
                             std::size_t stride, float* d_x) {
  Product(pass.space.rows, m.depth, m.cols, RowMajor(d_y, stride), pass.request.packed + m.backward,
          m.cols, {d_x, m.depth}, Start::kZero);
}
// d [x_cols][y_cols] += x^T y over all rows.
HWY_INLINE void AddOuter(const Pass& pass, std::size_t x_cols, const float* x, std::size_t x_stride,
                         std::size_t y_cols, const float* y, float* d) {
  const std::size_t rows = pass.space.rows;
  Pack(rows, y_cols, y, y_cols, pass.space.packed);
  const Left left = PackLeftTransposed(x_cols, rows, x, x_stride, pass.space.packed_left);
  Product(x_cols, y_cols, rows, left, pass.space.packed, rows, {d, y_cols}, Start::kAccumulate);
}

void Norm(const Pass& pass, const float* x, std::size_t weight, std::size_t bias, NormOf* norms,
          float* y) {
  const std::size_t width = pass.decoder.width;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    norms[row] =
        NormRow(width, x + row * width, pass.weight(weight), pass.weight(bias), y + row * width);
  }
}
// Adds to d_out.
void NormBackward(const Pass& pass, const float* x, std::size_t weight, std::size_t bias,
                  const NormOf* norms, float* gradient) {
  const std::size_t width = pass.decoder.width;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    NormRowBackward(width, x + row * width, norms[row], pass.weight(weight),
                    pass.space.d_normed + row * width, gradient + weight, gradient + bias,
                    pass.space.d_out + row * width);
  }
}

// What is added to the token of a position; null: nothing.
const float* PlaceOf(const Pass& pass, std::size_t position) {
  const std::size_t at = position * pass.decoder.width;
  switch (pass.decoder.positions.added) {
    case Added::kLearned:
      return pass.weight(pass.layout.positions) + at;
    case Added::kSinusoids:
      return pass.request.plan.sinusoids.data() + at;
    case Added::kNothing:
      break;
  }
  return nullptr;
}

void Embed(const Pass& pass, float* to) {
  const std::size_t width = pass.decoder.width;
  const std::size_t length = pass.decoder.length;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const std::size_t position = row % length;
    const std::size_t token = pass.request.tokens[row / length * (length + 1) + position];
    const float* const symbol = pass.weight(pass.layout.tokens) + token * width;
    std::copy_n(symbol, width, to + row * width);
    const float* const place = PlaceOf(pass, position);
    for (std::size_t i = 0; place != nullptr && i < width; ++i) to[row * width + i] += place[i];
  }
}
void EmbedBackward(const Pass& pass, float* gradient) {
  const std::size_t width = pass.decoder.width;
  const std::size_t length = pass.decoder.length;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const std::size_t position = row % length;
    const std::size_t token = pass.request.tokens[row / length * (length + 1) + position];
    const float* const from = pass.space.d_out + row * width;
    AddRow(width, 1.0F, from, gradient + pass.layout.tokens + token * width);
    if (pass.decoder.positions.added != Added::kLearned) continue;
    AddRow(width, 1.0F, from, gradient + pass.layout.positions + position * width);
  }
}

// The distance that entry `at` of a head's biases is for.
std::size_t DistanceOf(const Decoder& decoder, std::size_t at) {
  return at < decoder.length ? decoder.length - 1 - at : 0;
}
// Learned biases from their buckets; and d of them into the buckets' gradient.
void SpreadBiases(const Pass& pass) {
  const Decoder& decoder = pass.decoder;
  if (pass.space.biases == nullptr) return;
  std::fill_n(pass.space.d_biases, 2 * decoder.heads * decoder.length, 0.0F);
  const float* const buckets = pass.weight(pass.layout.relative);
  for (std::size_t at = 0; at < 2 * decoder.length; ++at) {
    const std::size_t bucket = bucket_of(DistanceOf(decoder, at));
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      pass.space.biases[2 * head * decoder.length + at] = buckets[bucket * decoder.heads + head];
    }
  }
}
void GatherBiases(const Pass& pass, float* gradient) {
  const Decoder& decoder = pass.decoder;
  if (pass.space.biases == nullptr) return;
  float* const buckets = gradient + pass.layout.relative;
  for (std::size_t at = 0; at < 2 * decoder.length; ++at) {
    const std::size_t bucket = bucket_of(DistanceOf(decoder, at));
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      buckets[bucket * decoder.heads + head] += pass.space.d_biases[2 * head * decoder.length + at];
    }
  }
}

// Turns queries and keys of all rows, which lie as a layer's qkv, by their positions; back with
// `sign` -1, which is also how their gradients go.
void Turn(const Pass& pass, float sign, float* qkv) {
  const Decoder& decoder = pass.decoder;
  if (!decoder.positions.rotary) return;
  const std::size_t half = decoder.head_width() / 2;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    const float* const turns =
        pass.request.plan.turns.data() + row % decoder.length * decoder.head_width();
    for (std::size_t head = 0; head < 2 * decoder.heads; ++head) {  // of queries, then of keys
      float* const x = qkv + row * 3 * decoder.width + head * decoder.head_width();
      for (std::size_t c = 0; c < half; ++c) {
        const float cosine = turns[2 * c];
        const float sine = sign * turns[2 * c + 1];
        const float first = x[c];
        const float second = x[c + half];
        x[c] = first * cosine - second * sine;
        x[c + half] = second * cosine + first * sine;
      }
    }
  }
}

HeadInput InputOf(const Pass& pass, std::size_t l, std::size_t sequence, std::size_t head) {
  const Decoder& decoder = pass.decoder;
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = head * decoder.head_width();
  const float* const qkv = pass.space.layers[l].qkv + sequence * decoder.length * 3 * width + own;
  const float* const biases = decoder.positions.bias == LogitBias::kAlibi
                                  ? pass.request.plan.biases.data()
                                  : pass.space.biases;
  const auto part = [&](bool there, std::size_t where) {
    return there ? pass.weight(where) + own : nullptr;
  };
  return {qkv,
          qkv + width,
          qkv + 2 * width,
          3 * width,
          part(decoder.kind.slot_key(), at.slot_key),
          part(decoder.kind.slot == Slot::kKeyValue, at.slot_value),
          part(decoder.kind.value_bias, at.value_bias),
          decoder.kind.slot == Slot::kLogit ? pass.weight(at.sinks)[head] : 0.0F,
          biases == nullptr ? nullptr : biases + 2 * head * decoder.length};
}

template <typename Work>  // work(sequence, head)
HWY_INLINE void ForHeads(const Pass& pass, const Work& work) {
  for (std::size_t sequence = 0; sequence < pass.request.sequences; ++sequence) {
    for (std::size_t head = 0; head < pass.decoder.heads; ++head) work(sequence, head);
  }
}

// Multiplies each head's output by its gate; keeps both.
void Gate(const Pass& pass, std::size_t l) {
  const Decoder& decoder = pass.decoder;
  const LayerSpace& layer = pass.space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = decoder.head_width();
  std::copy_n(layer.mixed, pass.space.rows * width, layer.ungated);
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      const float logit =
          pass.weight(at.gate_bias)[head] +
          Dot(width, layer.normed1 + row * width, pass.weight(at.gate) + head * width);
      const float open = hn::GetLane(Sigmoid(All(logit)));
      layer.gates[row * decoder.heads + head] = open;
      float* const mixed = layer.mixed + row * width + head * own;
      for (std::size_t c = 0; c < own; ++c) mixed[c] *= open;
    }
  }
}

// Turns d of gated outputs in d_normed into d of ungated ones, and gates into d of their logits.
void GateBackward(const Pass& pass, std::size_t l, float* gradient) {
  const Decoder& decoder = pass.decoder;
  const LayerSpace& layer = pass.space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = decoder.head_width();
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      float& gate = layer.gates[row * decoder.heads + head];
      float* const d = pass.space.d_normed + row * width + head * own;
      const float* const ungated = layer.ungated + row * width + head * own;
      float along = 0;
      for (std::size_t c = 0; c < own; ++c) {
        along += d[c] * ungated[c];
        d[c] *= gate;
      }
      gate = along * gate * (1 - gate);
      gradient[at.gate_bias + head] += gate;
      AddRow(width, gate, layer.normed1 + row * width, gradient + at.gate + head * width);
    }
  }
}
// Adds what the gates' logits, d of which GateBackward left, ask of the normed inputs to d_normed.
void GateInputBackward(const Pass& pass, std::size_t l) {
  const Decoder& decoder = pass.decoder;
  const std::size_t width = decoder.width;
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    for (std::size_t head = 0; head < decoder.heads; ++head) {
      AddRow(width, pass.space.layers[l].gates[row * decoder.heads + head],
             pass.weight(pass.layout.layers[l].gate) + head * width,
             pass.space.d_normed + row * width);
    }
  }
}

void LayerForward(const Pass& pass, std::size_t l, float* out) {
  const Decoder& decoder = pass.decoder;
  const std::size_t width = decoder.width;
  const LayerSpace& layer = pass.space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t stream = pass.space.rows * width;
  Norm(pass, layer.in, at.norm1, at.norm1_bias, layer.norm1, layer.normed1);
  Multiply(pass, pass.matrix(4 * l), layer.normed1, layer.qkv, 3 * width, Start::kZero);
  Turn(pass, 1, layer.qkv);
  ForHeads(pass, [&](std::size_t sequence, std::size_t head) {
    HeadForward(decoder, pass.space.head, InputOf(pass, l, sequence, head),
                layer.weights + (sequence * decoder.heads + head) * pass.space.head_weights,
                layer.mixed + sequence * decoder.length * width + head * decoder.head_width(),
                width);
  });
  if (decoder.kind.gated) Gate(pass, l);
  std::copy_n(layer.in, stream, layer.middle);
  Multiply(pass, pass.matrix(4 * l + 1), layer.mixed, layer.middle, width, Start::kAccumulate);
  Norm(pass, layer.middle, at.norm2, at.norm2_bias, layer.norm2, layer.normed2);
  Multiply(pass, pass.matrix(4 * l + 2), layer.normed2, layer.slope, decoder.wide(), Start::kZero);
  for (std::size_t row = 0; row < pass.space.rows; ++row) {
    MlpRow(decoder.mlp, decoder.hidden(), layer.slope + row * decoder.wide(),
           layer.hidden + row * decoder.hidden());
  }
  std::copy_n(layer.middle, stream, out);
  Multiply(pass, pass.matrix(4 * l + 3), layer.hidden, out, width, Start::kAccumulate);
}

void MlpBackward(const Pass& pass, std::size_t l, float* gradient) {
  const std::size_t width = pass.decoder.width;
  const std::size_t hidden = pass.decoder.hidden();
  const std::size_t wide = pass.decoder.wide();
  const Space& space = pass.space;
  const LayerSpace& layer = space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  AddOuter(pass, hidden, layer.hidden, hidden, width, space.d_out, gradient + at.mlp_out);
  MultiplyBack(pass, pass.matrix(4 * l + 3), space.d_out, width, space.d_wide);
  for (std::size_t row = space.rows; row-- > 0;) {  // from the last: rows of d_wide grow in place
    MlpRowBackward(pass.decoder.mlp, hidden, layer.slope + row * wide, space.d_wide + row * hidden,
                   space.d_wide + row * wide);
  }
  AddOuter(pass, width, layer.normed2, width, wide, space.d_wide, gradient + at.mlp_in);
  MultiplyBack(pass, pass.matrix(4 * l + 2), space.d_wide, wide, space.d_normed);
  NormBackward(pass, layer.middle, at.norm2, at.norm2_bias, layer.norm2, gradient);
}

HeadGradient GradientOf(const Pass& pass, std::size_t l, std::size_t sequence, std::size_t head,
                        float* gradient) {
  const Decoder& decoder = pass.decoder;
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = head * decoder.head_width();
  float* const qkv = pass.space.d_wide + sequence * decoder.length * 3 * width + own;
  float* const d_biases = pass.space.d_biases;
  const auto part = [&](bool there, std::size_t where) {
    return there ? gradient + where + own : nullptr;
  };
  return {qkv,
          qkv + width,
          qkv + 2 * width,
          part(decoder.kind.slot_key(), at.slot_key),
          part(decoder.kind.slot == Slot::kKeyValue, at.slot_value),
          part(decoder.kind.value_bias, at.value_bias),
          decoder.kind.slot == Slot::kLogit ? gradient + at.sinks + head : nullptr,
          d_biases == nullptr ? nullptr : d_biases + 2 * head * decoder.length};
}

void AttentionBackward(const Pass& pass, std::size_t l, float* gradient) {
  const Decoder& decoder = pass.decoder;
  const std::size_t width = decoder.width;
  const Space& space = pass.space;
  const LayerSpace& layer = space.layers[l];
  const LayerLayout& at = pass.layout.layers[l];
  AddOuter(pass, width, layer.mixed, width, width, space.d_out, gradient + at.attention_out);
  MultiplyBack(pass, pass.matrix(4 * l + 1), space.d_out, width, space.d_normed);
  if (decoder.kind.gated) GateBackward(pass, l, gradient);
  ForHeads(pass, [&](std::size_t sequence, std::size_t head) {
    HeadBackward(decoder, space.head, InputOf(pass, l, sequence, head),
                 layer.weights + (sequence * decoder.heads + head) * space.head_weights,
                 space.d_normed + sequence * decoder.length * width + head * decoder.head_width(),
                 width, GradientOf(pass, l, sequence, head, gradient));
  });
  Turn(pass, -1, space.d_wide);
  AddOuter(pass, width, layer.normed1, width, 3 * width, space.d_wide, gradient + at.attention);
  MultiplyBack(pass, pass.matrix(4 * l), space.d_wide, 3 * width, space.d_normed);
  if (decoder.kind.gated) GateInputBackward(pass, l);
  NormBackward(pass, layer.in, at.norm1, at.norm1_bias, layer.norm1, gradient);
}

// To the loss; logits become its gradient times `factor`.
double Forward(const Pass& pass, float factor) {
  const Decoder& decoder = pass.decoder;
  const Space& space = pass.space;
  Embed(pass, space.layers[0].in);
  SpreadBiases(pass);
  for (std::size_t l = 0; l < decoder.layers; ++l) {
    LayerForward(pass, l, l + 1 == decoder.layers ? space.out : space.layers[l + 1].in);
  }
  Norm(pass, space.out, pass.layout.norm, pass.layout.norm_bias, space.norm, space.normed);
  Multiply(pass, pass.request.plan.matrices.back(), space.normed, space.logits, space.logit_row,
           Start::kZero);
  double loss = 0;
  for (std::size_t row = 0; row < space.rows; ++row) {
    const std::size_t position = row % decoder.length;
    float* const logits = space.logits + row * space.logit_row;
    if (position < decoder.first_asked()) {
      std::fill_n(logits, space.logit_row, 0.0F);
      continue;
    }
    const std::size_t next = row / decoder.length * (decoder.length + 1) + position + 1;
    loss += CrossEntropyRow(decoder.vocabulary(), space.logit_row, pass.request.tokens[next],
                            factor, logits);
  }
  return loss;
}

void Backward(const Pass& pass, float* gradient) {
  const Decoder& decoder = pass.decoder;
  const Space& space = pass.space;
  const Layout& layout = pass.layout;
  AddOuter(pass, decoder.vocabulary(), space.logits, space.logit_row, decoder.width, space.normed,
           gradient + layout.head);
  MultiplyBack(pass, pass.request.plan.matrices.back(), space.logits, space.logit_row,
               space.d_normed);
  std::fill_n(space.d_out, space.rows * decoder.width, 0.0F);
  NormBackward(pass, space.out, layout.norm, layout.norm_bias, space.norm, gradient);
  for (std::size_t l = decoder.layers; l-- > 0;) {
    MlpBackward(pass, l, gradient);
    AttentionBackward(pass, l, gradient);
  }
  EmbedBackward(pass, gradient);
  GatherBiases(pass, gradient);
}

// Column means of one head's weights, each over the rows from the column's own on.
void MeanAttention(const Decoder& decoder, const HeadSpace& space, const float* weights,
                   float* means) {
  std::fill_n(means, space.keys, 0.0F);
  for (std::size_t row = 0; row < decoder.length; ++row) {
    const float* const at = weights + row * space.row;
    float sum = 0;
    for (std::size_t k = 0; k < space.keys; ++k) sum += std::abs(at[k]);
    for (std::size_t k = 0; sum > 0 && k <= space.slots + row; ++k) {
      means[k] += std::abs(at[k]) / sum;
    }
  }
  for (std::size_t k = 0; k < space.keys; ++k) {
    const std::size_t earlier = k < space.slots ? 0 : k - space.slots;
    means[k] /= static_cast<float>(decoder.length - earlier);
  }
}

void AllMeans(const Pass& pass, float* attention) {
  const Decoder& decoder = pass.decoder;
  for (std::size_t l = 0; l < decoder.layers; ++l) {
    ForHeads(pass, [&](std::size_t sequence, std::size_t head) {
      const float* const weights = pass.space.layers[l].weights +
                                   (sequence * decoder.heads + head) * pass.space.head_weights;
      const std::size_t which = (sequence * decoder.layers + l) * decoder.heads + head;
      MeanAttention(decoder, pass.space.head, weights, attention + which * pass.space.head.keys);
    });
  }
}

Pass PassOf(const PassRequest& request, float* scratch) {
  const Decoder& decoder = request.plan.decoder;
  return {decoder, request.plan.layout, request, Space(decoder, request.sequences, scratch)};
}

std::size_t ScratchFloats(const Decoder& decoder, std::size_t sequences) {
  return Space(decoder, sequences, nullptr).count;
}

double PassLoss(const PassRequest& request, float* scratch, float* attention) {
  const Pass pass = PassOf(request, scratch);
  const double loss = Forward(pass, 0.0F);
  if (attention != nullptr) AllMeans(pass, attention);
  return loss;
}

double PassGradient(const PassRequest& request, float factor, float* scratch, float* gradient) {
  const Pass pass = PassOf(request, scratch);
  const double loss = Forward(pass, factor);
  Backward(pass, gradient);
  return loss;
}

double AddUp(std::size_t count, std::size_t arrays, std::size_t stride, const float* from,
             float* to) {
  V squares = hn::Zero(D());
  for (std::size_t at = 0; at < count; at += Width()) {
    V sum = At(from + at);
    for (std::size_t array = 1; array < arrays; ++array) {
      sum = hn::Add(sum, At(from + array * stride + at));
    }
    Put(sum, to + at);
    squares = hn::MulAdd(sum, sum, squares);
  }
  return Sum(squares);
}

void PackMatrix(const Plan& plan, const float* weights, std::size_t which, float* packed) {
  const PackedMatrix& m = plan.matrices[which];
  const float* const from = weights + m.weights;
  if (m.transposed) {
    PackTransposed(m.depth, m.cols, from, m.depth, packed + m.forward);
    Pack(m.cols, m.depth, from, m.depth, packed + m.backward);
  } else {
    Pack(m.depth, m.cols, from, m.cols, packed + m.forward);
    PackTransposed(m.cols, m.depth, from, m.cols, packed + m.backward);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinkproof::language_training {

HWY_EXPORT(ScratchFloats);
HWY_EXPORT(PackMatrix);
HWY_EXPORT(AddUp);
HWY_EXPORT(PassLoss);
HWY_EXPORT(PassGradient);

std::size_t scratch_floats(const Decoder& decoder, std::size_t sequences) {
  return HWY_DYNAMIC_DISPATCH(ScratchFloats)(decoder, sequences);
}

void pack_matrix(const Plan& plan, const float* weights, std::size_t matrix, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackMatrix)(plan, weights, matrix, packed);
}

double add_up(std::size_t count, std::size_t arrays, std::size_t stride, const float* from,
              float* to) {
  return HWY_DYNAMIC_DISPATCH(AddUp)(count, arrays, stride, from, to);
}

double pass_loss(const PassRequest& request, float* scratch, float* attention) {
  return HWY_DYNAMIC_DISPATCH(PassLoss)(request, scratch, attention);
}

double pass_gradient(const PassRequest& request, float factor, float* scratch, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(PassGradient)(request, factor, scratch, gradient);
}

}  // namespace sinkproof::language_training
#endif  // HWY_ONCE
