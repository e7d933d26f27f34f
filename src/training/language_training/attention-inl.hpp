// The heads of a layer on all sequences of a pass: what each reads and where its gradients go, the
// gate on its output, and the means of its weights. Compiled once for each instruction set, as
// products-inl.hpp is.
#if defined(SINKPROOF_LANGUAGE_ATTENTION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_ATTENTION_INL_HPP
#undef SINKPROOF_LANGUAGE_ATTENTION_INL_HPP
#else
#define SINKPROOF_LANGUAGE_ATTENTION_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "language_training/heads-inl.hpp"
#include "language_training/rows-inl.hpp"
#include "language_training/space-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

HeadInput InputOf(const Pass& pass, std::size_t l, std::size_t sequence, std::size_t head) {
  const Decoder& decoder = pass.decoder;
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = head * decoder.head_width();
  const float* const qkv = pass.space.layers[l].qkv + sequence * decoder.length * 3 * width + own;
  const float* const biases = decoder.positions.bias == LogitBias::kAlibi
                                  ? pass.request.plan.biases.data()
                                  : pass.space.biases;
  const std::size_t vector = decoder.kind.shared_slot ? 0 : head;
  const std::vector<float>& fixed = pass.request.plan.slot_value;
  return {qkv,
          qkv + width,
          qkv + 2 * width,
          3 * width,
          decoder.kind.slot_key() ? pass.weight(at.slot_key) + vector * decoder.slot_key_width()
                                  : nullptr,
          decoder.kind.slot == Slot::kKeyValue
              ? pass.weight(at.slot_value) + vector * decoder.head_width()
          : fixed.empty() ? nullptr
                          : fixed.data() + own,
          decoder.kind.value_bias ? pass.weight(at.value_bias) + own : nullptr,
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
          Dot(width, layer.read1 + row * width, pass.weight(at.gate) + head * width);
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
      AddRow(width, gate, layer.read1 + row * width, gradient + at.gate + head * width);
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

HeadGradient GradientOf(const Pass& pass, std::size_t l, std::size_t sequence, std::size_t head,
                        float* gradient) {
  const Decoder& decoder = pass.decoder;
  const LayerLayout& at = pass.layout.layers[l];
  const std::size_t width = decoder.width;
  const std::size_t own = head * decoder.head_width();
  float* const qkv = pass.space.d_wide + sequence * decoder.length * 3 * width + own;
  float* const d_biases = pass.space.d_biases;
  const std::size_t vector = decoder.kind.shared_slot ? 0 : head;
  return {qkv,
          qkv + width,
          qkv + 2 * width,
          decoder.kind.slot_key() ? gradient + at.slot_key + vector * decoder.slot_key_width()
                                  : nullptr,
          decoder.kind.slot == Slot::kKeyValue
              ? gradient + at.slot_value + vector * decoder.head_width()
              : nullptr,
          decoder.kind.value_bias ? gradient + at.value_bias + own : nullptr,
          decoder.kind.slot == Slot::kLogit ? gradient + at.sinks + head : nullptr,
          d_biases == nullptr ? nullptr : d_biases + 2 * head * decoder.length};
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
