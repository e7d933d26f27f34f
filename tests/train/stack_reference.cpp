#include "stack_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sinkproof::train::reference {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;

// y = x W^T + b, the nn.Linear; `bias` may be empty.
template <typename T>
void linear_forward(std::size_t rows, std::size_t ins, std::size_t outs, const std::vector<T>& x,
                    const std::vector<T>& weight, const std::vector<T>& bias, std::vector<T>& y) {
  y.assign(rows * outs, T{0});
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t out = 0; out < outs; ++out) {
      T sum = bias.empty() ? T{0} : bias[out];
      for (std::size_t in = 0; in < ins; ++in) sum += x[i * ins + in] * weight[out * ins + in];
      y[i * outs + out] = sum;
    }
  }
}

// Adds to d_x (unless null), d_weight and d_bias (unless empty).
template <typename T>
void linear_backward(std::size_t rows, std::size_t ins, std::size_t outs, const std::vector<T>& x,
                     const std::vector<T>& weight, const std::vector<T>& d_y, std::vector<T>* d_x,
                     std::vector<T>& d_weight, std::vector<T>& d_bias) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t out = 0; out < outs; ++out) {
      const T d = d_y[i * outs + out];
      if (!d_bias.empty()) d_bias[out] += d;
      for (std::size_t in = 0; in < ins; ++in) {
        d_weight[out * ins + in] += d * x[i * ins + in];
        if (d_x != nullptr) (*d_x)[i * ins + in] += d * weight[out * ins + in];
      }
    }
  }
}

template <typename T>
T dot(std::size_t n, const T* a, const T* b) {
  T sum = 0;
  for (std::size_t c = 0; c < n; ++c) sum += a[c] * b[c];
  return sum;
}

template <typename T>
T sigma(T s) {
  return T{1} / (T{1} + std::exp(-s));
}

template <typename T>
T kernel_value(Kernel kernel, T s) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(s);
    case Kernel::kSigmoid:
      return sigma(s);
    case Kernel::kElu1:
      return s > 0 ? s + T{1} : std::exp(s);
    case Kernel::kRelu:
      return std::max(s, T{0});
    case Kernel::kLinear:
      return s;
  }
  return T{0};
}

template <typename T>
T kernel_slope(Kernel kernel, T s) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(s);
    case Kernel::kSigmoid:
      return sigma(s) * (T{1} - sigma(s));
    case Kernel::kElu1:
      return s > 0 ? T{1} : std::exp(s);
    case Kernel::kRelu:
      return s > 0 ? T{1} : T{0};
    case Kernel::kLinear:
      return T{1};
  }
  return T{0};
}

// What the kernel values of row `row` (from 0) are divided by, softmax aside.
template <typename T>
T denominator(const AttentionKind& kind, std::size_t row, const T* logits) {
  if (!kind.normalised) {
    return static_cast<T>(std::max<std::size_t>(1, row));
  }
  T sum = 0;
  for (std::size_t k = 0; k <= row; ++k) sum += kernel_value(kind.kernel, logits[k]);
  return sum;
}

// Softmax, with the largest exponent taken out; `sink` is the null slot's logit, if there is one.
template <typename T>
void softmax(const AttentionKind& kind, T sink, std::size_t row, const T* logits, T* weights) {
  T largest = *std::max_element(logits, logits + row + 1);
  if (kind.null_slot) largest = std::max(largest, sink);
  T sum = kind.null_slot ? std::exp(sink - largest) : T{0};
  for (std::size_t k = 0; k <= row; ++k) sum += weights[k] = std::exp(logits[k] - largest);
  for (std::size_t k = 0; k <= row; ++k) weights[k] /= sum;
}

// Logits to attention weights of row `row` (from 0), which sees keys 0 .. row.
template <typename T>
void weigh_forward(const AttentionKind& kind, T sink, std::size_t row, const T* logits,
                   T* weights) {
  if (kind.kernel == Kernel::kExp) return softmax(kind, sink, row, logits, weights);
  const T below = denominator(kind, row, logits);
  for (std::size_t k = 0; k <= row; ++k) weights[k] = kernel_value(kind.kernel, logits[k]) / below;
}

// d loss / d weights to d loss / d logits, in place; d loss / d the null slot's logit.
template <typename T>
T weigh_backward(const AttentionKind& kind, std::size_t row, const T* logits, const T* weights,
                 T* d) {
  const T mean = kind.normalised ? dot(row + 1, weights, d) : T{0};
  if (kind.kernel == Kernel::kExp) {
    const T null = kind.null_slot ? T{1} - std::accumulate(weights, weights + row + 1, T{0}) : T{0};
    for (std::size_t k = 0; k <= row; ++k) d[k] = weights[k] * (d[k] - mean);
    return -null * mean;
  }
  const T below = denominator(kind, row, logits);
  for (std::size_t k = 0; k <= row; ++k) {
    d[k] = (d[k] - mean) * kernel_slope(kind.kernel, logits[k]) / below;
  }
  return 0;
}

// Head `head` of row i of a [length][H d_model] array.
template <typename Array>
auto part(const Shape& shape, Array& array, std::size_t head, std::size_t i) {
  return array.data() + (i * shape.heads + head) * shape.d_model;
}

template <typename T>
void attention_forward(const Shape& shape, std::size_t head, const std::vector<T>& sinks,
                       Activations<T>& kept) {
  const AttentionKind& kind = certificate::kind_of(shape.attention);
  const T sink = kind.sinks ? sinks[head] : T{0};
  const std::size_t n = shape.d_model;
  const std::size_t length = shape.length;
  for (std::size_t i = 0; i < length; ++i) {
    T* const logits = kept.logits.data() + (head * length + i) * length;
    T* const row = kept.attention.data() + (head * length + i) * length;
    for (std::size_t k = 0; k <= i; ++k) {
      logits[k] = dot(n, part(shape, kept.queries, head, i), part(shape, kept.keys, head, k));
    }
    weigh_forward(kind, sink, i, logits, row);
    T* const sum = part(shape, kept.ungated, head, i);
    for (std::size_t k = 0; k <= i; ++k) {
      const T* const value = part(shape, kept.values, head, k);
      for (std::size_t c = 0; c < n; ++c) sum[c] += row[k] * value[c];
    }
  }
}

// Gradients of what attention reads, [length][H d_model].
template <typename T>
struct Inputs {
  std::vector<T> queries, keys, values;
  std::vector<T> sinks;  // [H]
};

template <typename T>
void attention_backward(const Shape& shape, std::size_t head, const Activations<T>& kept,
                        const std::vector<T>& d_ungated, T bos_pull, Inputs<T>& gradient) {
  const AttentionKind& kind = certificate::kind_of(shape.attention);
  const std::size_t n = shape.d_model;
  const std::size_t length = shape.length;
  std::vector<T> d(length);
  for (std::size_t i = 0; i < length; ++i) {
    const T* const logits = kept.logits.data() + (head * length + i) * length;
    const T* const row = kept.attention.data() + (head * length + i) * length;
    const T* const d_sum = part(shape, d_ungated, head, i);
    for (std::size_t k = 0; k <= i; ++k) {
      d[k] = dot(n, d_sum, part(shape, kept.values, head, k));
      T* const d_value = part(shape, gradient.values, head, k);
      for (std::size_t c = 0; c < n; ++c) d_value[c] += row[k] * d_sum[c];
    }
    if (i > 0) d[0] += bos_pull * row[0];
    gradient.sinks[head] += weigh_backward(kind, i, logits, row, d.data());
    const T* const query = part(shape, kept.queries, head, i);
    T* const d_query = part(shape, gradient.queries, head, i);
    for (std::size_t k = 0; k <= i; ++k) {
      const T* const key = part(shape, kept.keys, head, k);
      T* const d_key = part(shape, gradient.keys, head, k);
      for (std::size_t c = 0; c < n; ++c) {
        d_query[c] += d[k] * key[c];
        d_key[c] += d[k] * query[c];
      }
    }
  }
}

template <typename T>
void gates_forward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens,
                   Activations<T>& kept) {
  kept.gates.assign(shape.length * shape.heads, T{1});
  if (certificate::kind_of(shape.attention).gated) {
    linear_forward(shape.length, shape.d_model, shape.heads, tokens, weights.gate,
                   weights.gate_bias, kept.gates);
    for (T& gate : kept.gates) gate = sigma(gate);
  }
  kept.mixed = kept.ungated;
  for (std::size_t at = 0; at < kept.mixed.size(); ++at) {
    kept.mixed[at] *= kept.gates[at / shape.d_model];
  }
}

// Turns d mixed into d ungated, in place.
template <typename T>
void gates_backward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens,
                    const Activations<T>& kept, std::vector<T>& d_mixed, Weights<T>& gradient,
                    std::vector<T>* d_tokens) {
  if (!certificate::kind_of(shape.attention).gated) return;
  std::vector<T> d_gates(kept.gates.size(), T{0});
  for (std::size_t at = 0; at < d_mixed.size(); ++at) {
    const std::size_t which = at / shape.d_model;
    d_gates[which] += d_mixed[at] * kept.ungated[at];
    d_mixed[at] *= kept.gates[which];
  }
  for (std::size_t which = 0; which < d_gates.size(); ++which) {
    d_gates[which] *= kept.gates[which] * (T{1} - kept.gates[which]);
  }
  linear_backward(shape.length, shape.d_model, shape.heads, tokens, weights.gate, d_gates, d_tokens,
                  gradient.gate, gradient.gate_bias);
}

template <typename T>
Weights<T> zeros_like(const Weights<T>& weights) {
  Weights<T> zeros = weights;
  for (std::vector<T>* each :
       {&zeros.query, &zeros.key, &zeros.value, &zeros.output, &zeros.query_bias, &zeros.key_bias,
        &zeros.value_bias, &zeros.output_bias, &zeros.gate, &zeros.gate_bias, &zeros.sinks}) {
    std::fill(each->begin(), each->end(), T{0});
  }
  return zeros;
}

}  // namespace

template <typename T>
Activations<T> forward(const Shape& shape, const Weights<T>& weights,
                       const std::vector<T>& tokens) {
  const std::size_t n = shape.d_model;
  const std::size_t wide = shape.heads * n;
  const std::size_t length = shape.length;
  Activations<T> kept;
  linear_forward(length, n, wide, tokens, weights.query, weights.query_bias, kept.queries);
  linear_forward(length, n, wide, tokens, weights.key, weights.key_bias, kept.keys);
  linear_forward(length, n, wide, tokens, weights.value, weights.value_bias, kept.values);
  kept.logits.assign(shape.heads * length * length, T{0});
  kept.attention = kept.logits;
  kept.ungated.assign(length * wide, T{0});
  for (std::size_t head = 0; head < shape.heads; ++head) {
    attention_forward(shape, head, weights.sinks, kept);
  }
  gates_forward(shape, weights, tokens, kept);
  linear_forward(length, wide, n, kept.mixed, weights.output, weights.output_bias, kept.out);
  return kept;
}

template <typename T>
void backward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens,
              const Activations<T>& kept, const std::vector<T>& d_out, Weights<T>& gradient,
              T bos_pull, std::vector<T>* d_tokens) {
  const std::size_t n = shape.d_model;
  const std::size_t wide = shape.heads * n;
  const std::size_t length = shape.length;
  const std::vector<T> zero(length * wide, T{0});
  std::vector<T> d_mixed = zero;
  Inputs<T> d{zero, zero, zero, std::vector<T>(shape.heads)};
  linear_backward(length, wide, n, kept.mixed, weights.output, d_out, &d_mixed, gradient.output,
                  gradient.output_bias);
  gates_backward(shape, weights, tokens, kept, d_mixed, gradient, d_tokens);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    attention_backward(shape, head, kept, d_mixed, bos_pull, d);
  }
  for (std::size_t h = 0; h < gradient.sinks.size(); ++h) gradient.sinks[h] += d.sinks[h];
  linear_backward(length, n, wide, tokens, weights.value, d.values, d_tokens, gradient.value,
                  gradient.value_bias);
  linear_backward(length, n, wide, tokens, weights.key, d.keys, d_tokens, gradient.key,
                  gradient.key_bias);
  linear_backward(length, n, wide, tokens, weights.query, d.queries, d_tokens, gradient.query,
                  gradient.query_bias);
}

template <typename T>
Passes<T> forward_stack(const Shape& shape, const Stack<T>& weights, const std::vector<T>& tokens) {
  Passes<T> passes{{tokens}, {}};
  for (const Weights<T>& layer : weights) {
    const std::vector<T>& before = passes.states.back();
    passes.kept.push_back(forward(shape, layer, before));
    std::vector<T> after = passes.kept.back().out;
    for (std::size_t c = 0; shape.residual && c < after.size(); ++c) after[c] += before[c];
    passes.states.push_back(std::move(after));
  }
  return passes;
}

namespace {

template <typename T>
void backward_stack(const Shape& shape, const Stack<T>& weights, const Passes<T>& passes,
                    std::vector<T> d_out, T bos_pull, Stack<T>& gradient) {
  for (std::size_t l = weights.size(); l-- > 0;) {
    std::vector<T> d_tokens = shape.residual ? d_out : std::vector<T>(d_out.size(), T{0});
    backward(shape, weights[l], passes.states[l], passes.kept[l], d_out, gradient[l], bos_pull,
             l > 0 ? &d_tokens : nullptr);
    d_out.swap(d_tokens);
  }
}

template <typename T>
void add_squared_bos(const Shape& shape, const Passes<T>& passes, double rows,
                     StepResult<T>& result) {
  for (const Activations<T>& kept : passes.kept) {
    for (std::size_t row = 0; row < shape.heads * shape.length; ++row) {
      if (row % shape.length == 0) continue;  // BOS's own
      const auto weight = static_cast<double>(kept.attention[row * shape.length]);
      result.squared_bos += weight * weight / rows;
    }
  }
}

}  // namespace

template <typename T>
StepResult<T> batch_gradient(const Shape& shape, const Stack<T>& weights, const BatchId& batch,
                             std::uint32_t samples, double bos_penalty) {
  StepResult<T> result;
  for (const Weights<T>& layer : weights) result.gradient.push_back(zeros_like(layer));
  const double count =
      static_cast<double>(samples) * static_cast<double>(shape.length * shape.d_model);
  const double rows = static_cast<double>(samples) *
                      static_cast<double>(shape.layers * shape.heads * (shape.length - 1));
  const T bos_pull = static_cast<T>(2 * bos_penalty / rows);
  for (std::uint32_t index = 0; index < samples; ++index) {
    const Sample sample = draw_sample(shape, batch, index);
    const std::vector<T> tokens(sample.tokens.begin(), sample.tokens.end());
    const std::vector<T> target = targets(shape, sample.trigger, tokens);
    const Passes<T> passes = forward_stack(shape, weights, tokens);
    add_squared_bos(shape, passes, rows, result);
    std::vector<T> d_out(target.size());
    for (std::size_t c = 0; c < target.size(); ++c) {
      const T error = passes.states.back()[c] - target[c];
      result.loss += static_cast<double>(error) * static_cast<double>(error) / count;
      result.linf = std::max(result.linf, std::abs(static_cast<double>(error)));
      d_out[c] = error * static_cast<T>(2.0 / count);
    }
    backward_stack(shape, weights, passes, std::move(d_out), bos_pull, result.gradient);
  }
  return result;
}

template <typename T>
void adam(const AdamRate& rate, std::uint64_t update, const std::vector<T>& gradient,
          std::vector<T>& first, std::vector<T>& second, std::vector<T>& weights) {
  const auto power = static_cast<double>(update);
  const T step = static_cast<T>(rate.lr / (1.0 - std::pow(rate.beta1, power)));
  const T root = static_cast<T>(1.0 / std::sqrt(1.0 - std::pow(rate.beta2, power)));
  const T beta1 = static_cast<T>(rate.beta1);
  const T beta2 = static_cast<T>(rate.beta2);
  const T keep = static_cast<T>(1.0 - rate.lr * rate.weight_decay);
  for (std::size_t c = 0; c < weights.size(); ++c) {
    first[c] = beta1 * first[c] + (T{1} - beta1) * gradient[c];
    second[c] = beta2 * second[c] + (T{1} - beta2) * gradient[c] * gradient[c];
    weights[c] *= keep;
    weights[c] -= step * first[c] / (std::sqrt(second[c]) * root + static_cast<T>(rate.epsilon));
  }
}

#define SINKPROOF_INSTANTIATE(T)                                                             \
  template Activations<T> forward(const Shape&, const Weights<T>&, const std::vector<T>&);   \
  template Passes<T> forward_stack(const Shape&, const Stack<T>&, const std::vector<T>&);    \
  template void backward(const Shape&, const Weights<T>&, const std::vector<T>&,             \
                         const Activations<T>&, const std::vector<T>&, Weights<T>&, T,       \
                         std::vector<T>*);                                                   \
  template StepResult<T> batch_gradient(const Shape&, const Stack<T>&, const BatchId&,       \
                                        std::uint32_t, double);                              \
  template void adam(const AdamRate&, std::uint64_t, const std::vector<T>&, std::vector<T>&, \
                     std::vector<T>&, std::vector<T>&);
SINKPROOF_INSTANTIATE(float)
SINKPROOF_INSTANTIATE(double)
#undef SINKPROOF_INSTANTIATE

}  // namespace sinkproof::train::reference
