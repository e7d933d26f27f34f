#include "train/reference.hpp"

#include <algorithm>
#include <cmath>

namespace sinkproof::train::reference {
namespace {

// y = x W^T, the nn.Linear without bias.
template <typename T>
void linear_forward(std::size_t rows, std::size_t n, const std::vector<T>& x,
                    const std::vector<T>& weight, std::vector<T>& y) {
  y.assign(rows * n, T{0});
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t out = 0; out < n; ++out) {
      T sum = 0;
      for (std::size_t in = 0; in < n; ++in) sum += x[i * n + in] * weight[out * n + in];
      y[i * n + out] = sum;
    }
  }
}

// Adds to d_x (unless null) and d_weight.
template <typename T>
void linear_backward(std::size_t rows, std::size_t n, const std::vector<T>& x,
                     const std::vector<T>& weight, const std::vector<T>& d_y, std::vector<T>* d_x,
                     std::vector<T>& d_weight) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t out = 0; out < n; ++out) {
      const T d = d_y[i * n + out];
      for (std::size_t in = 0; in < n; ++in) {
        d_weight[out * n + in] += d * x[i * n + in];
        if (d_x != nullptr) (*d_x)[i * n + in] += d * weight[out * n + in];
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

// Row i of ReLU attention is divided by max(1, i-1), positions from 1.
template <typename T>
T relu_scale(std::size_t row_from_zero) {
  return T{1} / static_cast<T>(std::max<std::size_t>(1, row_from_zero));
}

// Logits to attention weights, in place; `count` keys are visible.
template <typename T>
void weigh_forward(Attention attention, std::size_t row, T* logits) {
  const std::size_t count = row + 1;
  if (attention == Attention::kRelu) {
    for (std::size_t k = 0; k < count; ++k) {
      logits[k] = std::max(logits[k], T{0}) * relu_scale<T>(row);
    }
    return;
  }
  const T largest = *std::max_element(logits, logits + count);
  T sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += logits[k] = std::exp(logits[k] - largest);
  for (std::size_t k = 0; k < count; ++k) logits[k] /= sum;
}

// d loss / d weights to d loss / d logits, in place.
template <typename T>
void weigh_backward(Attention attention, std::size_t row, const T* weights, T* d) {
  const std::size_t count = row + 1;
  if (attention == Attention::kRelu) {
    for (std::size_t k = 0; k < count; ++k) {
      d[k] = weights[k] > 0 ? d[k] * relu_scale<T>(row) : T{0};
    }
    return;
  }
  const T mean = dot(count, weights, d);
  for (std::size_t k = 0; k < count; ++k) d[k] = weights[k] * (d[k] - mean);
}

template <typename T>
void attention_forward(const Shape& shape, Activations<T>& kept) {
  const std::size_t n = shape.d_model;
  const std::size_t length = shape.length;
  kept.attention.assign(length * length, T{0});
  kept.mixed.assign(length * n, T{0});
  for (std::size_t i = 0; i < length; ++i) {
    T* row = kept.attention.data() + i * length;
    for (std::size_t k = 0; k <= i; ++k) {
      row[k] = dot(n, kept.queries.data() + i * n, kept.keys.data() + k * n);
    }
    weigh_forward(shape.attention, i, row);
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t c = 0; c < n; ++c) kept.mixed[i * n + c] += row[k] * kept.values[k * n + c];
    }
  }
}

template <typename T>
void attention_backward(const Shape& shape, const Activations<T>& kept,
                        const std::vector<T>& d_mixed, std::vector<T>& d_queries,
                        std::vector<T>& d_keys, std::vector<T>& d_values) {
  const std::size_t n = shape.d_model;
  const std::size_t length = shape.length;
  std::vector<T> d(length);
  for (std::size_t i = 0; i < length; ++i) {
    const T* row = kept.attention.data() + i * length;
    for (std::size_t k = 0; k <= i; ++k) {
      d[k] = dot(n, d_mixed.data() + i * n, kept.values.data() + k * n);
      for (std::size_t c = 0; c < n; ++c) d_values[k * n + c] += row[k] * d_mixed[i * n + c];
    }
    weigh_backward(shape.attention, i, row, d.data());
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t c = 0; c < n; ++c) {
        d_queries[i * n + c] += d[k] * kept.keys[k * n + c];
        d_keys[k * n + c] += d[k] * kept.queries[i * n + c];
      }
    }
  }
}

}  // namespace

template <typename T>
Activations<T> forward(const Shape& shape, const Weights<T>& weights,
                       const std::vector<T>& tokens) {
  Activations<T> kept;
  linear_forward(shape.length, shape.d_model, tokens, weights.query, kept.queries);
  linear_forward(shape.length, shape.d_model, tokens, weights.key, kept.keys);
  linear_forward(shape.length, shape.d_model, tokens, weights.value, kept.values);
  attention_forward(shape, kept);
  linear_forward(shape.length, shape.d_model, kept.mixed, weights.output, kept.out);
  return kept;
}

template <typename T>
void backward(const Shape& shape, const Weights<T>& weights, const std::vector<T>& tokens,
              const Activations<T>& kept, const std::vector<T>& d_out, Weights<T>& gradient) {
  const std::size_t n = shape.d_model;
  const std::vector<T> zero(shape.length * n, T{0});
  std::vector<T> d_mixed = zero;
  std::vector<T> d_queries = zero;
  std::vector<T> d_keys = zero;
  std::vector<T> d_values = zero;
  linear_backward(shape.length, n, kept.mixed, weights.output, d_out, &d_mixed, gradient.output);
  attention_backward(shape, kept, d_mixed, d_queries, d_keys, d_values);
  std::vector<T>* const none = nullptr;
  linear_backward(shape.length, n, tokens, weights.value, d_values, none, gradient.value);
  linear_backward(shape.length, n, tokens, weights.key, d_keys, none, gradient.key);
  linear_backward(shape.length, n, tokens, weights.query, d_queries, none, gradient.query);
}

template <typename T>
StepResult<T> batch_gradient(const Shape& shape, const Weights<T>& weights, const BatchId& batch,
                             std::uint32_t samples) {
  const std::vector<T> zero(shape.d_model * shape.d_model, T{0});
  StepResult<T> result;
  result.gradient = {zero, zero, zero, zero};
  const double count =
      static_cast<double>(samples) * static_cast<double>(shape.length * shape.d_model);
  for (std::uint32_t index = 0; index < samples; ++index) {
    const Sample sample = draw_sample(shape, batch, index);
    const std::vector<T> tokens(sample.tokens.begin(), sample.tokens.end());
    const std::vector<T> target = targets(shape, sample.trigger, tokens);
    const Activations<T> kept = forward(shape, weights, tokens);
    std::vector<T> d_out(target.size());
    for (std::size_t c = 0; c < target.size(); ++c) {
      const T error = kept.out[c] - target[c];
      result.loss += static_cast<double>(error) * static_cast<double>(error) / count;
      result.linf = std::max(result.linf, std::abs(static_cast<double>(error)));
      d_out[c] = error * static_cast<T>(2.0 / count);
    }
    backward(shape, weights, tokens, kept, d_out, result.gradient);
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
  for (std::size_t c = 0; c < weights.size(); ++c) {
    first[c] = beta1 * first[c] + (T{1} - beta1) * gradient[c];
    second[c] = beta2 * second[c] + (T{1} - beta2) * gradient[c] * gradient[c];
    weights[c] -= step * first[c] / (std::sqrt(second[c]) * root + static_cast<T>(rate.epsilon));
  }
}

#define SINKPROOF_INSTANTIATE(T)                                                             \
  template Activations<T> forward(const Shape&, const Weights<T>&, const std::vector<T>&);   \
  template void backward(const Shape&, const Weights<T>&, const std::vector<T>&,             \
                         const Activations<T>&, const std::vector<T>&, Weights<T>&);         \
  template StepResult<T> batch_gradient(const Shape&, const Weights<T>&, const BatchId&,     \
                                        std::uint32_t);                                      \
  template void adam(const AdamRate&, std::uint64_t, const std::vector<T>&, std::vector<T>&, \
                     std::vector<T>&, std::vector<T>&);
SINKPROOF_INSTANTIATE(float)
SINKPROOF_INSTANTIATE(double)
#undef SINKPROOF_INSTANTIATE

}  // namespace sinkproof::train::reference
