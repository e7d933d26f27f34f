#include "train/step.hpp"

#include <algorithm>
#include <cmath>

namespace sinkproof::train {
namespace {

// The token coordinate of a kernel coordinate: noise, trigger, content, BOS.
std::size_t token_coordinate(std::size_t kernel, std::size_t n) {
  if (kernel + 3 < n) return kernel + 2;
  if (kernel + 3 == n) return 1;
  return kernel + 2 == n ? n - 1 : 0;
}

void transpose(std::size_t n, const float* from, float* to) {
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) to[col * stride + row] = from[row * stride + col];
  }
}

// Rows and columns from token order to kernel order, and back.
void to_kernel_order(std::size_t n, const float* from, float* to) {
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; ++row) {
    const float* const source = from + token_coordinate(row, n) * stride;
    for (std::size_t col = 0; col < n; ++col) {
      to[row * stride + col] = source[token_coordinate(col, n)];
    }
  }
}
void to_token_order(std::size_t n, const float* from, float* to) {
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; ++row) {
    float* const target = to + token_coordinate(row, n) * stride;
    for (std::size_t col = 0; col < n; ++col) {
      target[token_coordinate(col, n)] = from[row * stride + col];
    }
  }
}

// Flags (trigger, content) become features (trigger, 1): the trigger's column now says by how much
// a trigger differs from content. The gradient goes the other way.
void columns_to_features(std::size_t n, float* matrix) {
  for (std::size_t row = 0; row < n; ++row) {
    float* const at = matrix + row * row_stride(n) + (n - 3);
    at[0] -= at[1];
  }
}
void rows_to_features(std::size_t n, float* matrix) {
  float* const trigger = matrix + (n - 3) * row_stride(n);
  for (std::size_t col = 0; col < n; ++col) trigger[col] -= trigger[row_stride(n) + col];
}
void columns_from_features(std::size_t n, float* gradient) {
  for (std::size_t row = 0; row < n; ++row) {
    float* const at = gradient + row * row_stride(n) + (n - 3);
    at[1] -= at[0];
  }
}
void rows_from_features(std::size_t n, float* gradient) {
  float* const trigger = gradient + (n - 3) * row_stride(n);
  for (std::size_t col = 0; col < n; ++col) trigger[row_stride(n) + col] -= trigger[col];
}

}  // namespace

BatchGradient::BatchGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs)
    : shape_(shape),
      samples_(samples),
      stride_(row_stride(shape.d_model)),
      chunks_(samples),
      crew_(std::min<std::size_t>(jobs, chunks_.count)),
      worker_scratch_((scratch_floats(shape) + kMaxLanes - 1) / kMaxLanes * kMaxLanes),
      scratch_(worker_scratch_ * crew_.workers()),
      sums_(chunk_sums_floats(shape.d_model) * chunks_.count),
      totals_(sums_layout(shape.d_model).count),
      small_(kSmallCount * matrix_floats()),
      gradient_(weight_floats(shape.d_model)) {}

float* BatchGradient::small(Small which) { return small_.data() + which * matrix_floats(); }

void BatchGradient::prepare(const float* weights) {
  const std::size_t n = shape_.d_model;
  const float* const query = weights;
  const float* const key = query + matrix_floats();
  const float* const value = key + matrix_floats();
  const float* const output = value + matrix_floats();
  transpose(n, query, small(kA));
  multiply(n, small(kA), key, small(kB));
  to_kernel_order(n, small(kB), small(kLogits));
  columns_to_features(n, small(kLogits));
  rows_to_features(n, small(kLogits));
  multiply(n, output, value, small(kB));
  to_kernel_order(n, small(kB), small(kValue));
  columns_to_features(n, small(kValue));
  transpose(n, small(kValue), small(kValueTransposed));
  multiply(n, small(kValueTransposed), small(kValue), small(kGram));
}

void BatchGradient::run_chunks(const BatchId& batch, bool every_row) {
  const Operators operators{small(kLogits), small(kValue), small(kValueTransposed), small(kGram)};
  const std::size_t chunk_floats = chunk_sums_floats(shape_.d_model);
  crew_.run(chunks_.count, [&](std::size_t worker, std::size_t chunk) {
    const ChunkRequest request{shape_, batch, chunks_.first(chunk), chunks_.samples(chunk),
                               every_row};
    chunk_gradient(request, operators, scratch_.data() + worker * worker_scratch_,
                   sums_.data() + chunk * chunk_floats);
  });
  const SumsLayout layout = sums_layout(shape_.d_model);
  total_sums(layout.trigger_linf, layout.count - layout.trigger_linf, chunks_.count, sums_.data(),
             totals_.data());
}

// Row 1 is the same in every sample: BOS attends to itself alone and its target is zero.
Evaluation BatchGradient::add_first_row(bool every_row) {
  const std::size_t n = shape_.d_model;
  const std::size_t bos = n - 1;
  const SumsLayout layout = sums_layout(n);
  const float logit = small(kLogits)[bos * stride_ + bos];
  const bool relu = shape_.attention == Attention::kRelu;
  const float weight = relu ? std::max(logit, 0.0F) : 1.0F;
  const auto samples = static_cast<float>(samples_);
  const float gram = small(kGram)[bos * stride_ + bos];
  totals_.data()[layout.second + bos * n + bos] += samples * weight * weight;
  if (relu && logit > 0) totals_.data()[layout.logits + bos * n + bos] += samples * weight * gram;
  Evaluation result;
  result.linf_exact = every_row;
  result.linf_at_least = totals_.data()[every_row ? layout.every_linf : layout.trigger_linf];
  double squares = totals_.data()[layout.loss];
  for (std::size_t c = 0; c < n; ++c) {
    const double out = static_cast<double>(weight) * small(kValue)[c * stride_ + bos];
    squares += samples * out * out;
    result.linf_at_least = std::max(result.linf_at_least, std::abs(out));
  }
  result.loss = squares / (static_cast<double>(samples_) * static_cast<double>(shape_.length * n));
  return result;
}

void BatchGradient::gradient_of_logits(const float* weights, float scale) {
  const std::size_t n = shape_.d_model;
  const float* const query = weights;
  const float* const key = query + matrix_floats();
  const float* const from = totals_.data() + sums_layout(n).logits;
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      small(kA)[row * stride_ + col] = scale * from[row * n + col];
    }
  }
  columns_from_features(n, small(kA));
  rows_from_features(n, small(kA));
  to_token_order(n, small(kA), small(kB));
  transpose(n, small(kB), small(kC));
  multiply(n, key, small(kC), gradient_.data());                      // d W_Q = W_K dM^T
  multiply(n, query, small(kB), gradient_.data() + matrix_floats());  // d W_K = W_Q dM
}

void BatchGradient::gradient_of_value(const float* weights, float scale) {
  const std::size_t n = shape_.d_model;
  const float* const value = weights + 2 * matrix_floats();
  const float* const output = value + matrix_floats();
  const SumsLayout layout = sums_layout(n);
  const float* const second = totals_.data() + layout.second;
  const float* const error = totals_.data() + layout.error;
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      small(kA)[row * stride_ + col] = second[std::min(row, col) * n + std::max(row, col)];
    }
  }
  multiply(n, small(kValue), small(kA), small(kB));
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      float& entry = small(kB)[row * stride_ + col];
      entry = scale * (entry + error[row * n + col]);
    }
  }
  columns_from_features(n, small(kB));
  to_token_order(n, small(kB), small(kC));
  transpose(n, output, small(kA));
  multiply(n, small(kA), small(kC), gradient_.data() + 2 * matrix_floats());  // d W_V = W_O^T dV
  transpose(n, value, small(kA));
  multiply(n, small(kC), small(kA), gradient_.data() + 3 * matrix_floats());  // d W_O = dV W_V^T
}

Evaluation BatchGradient::evaluate(const float* weights, const BatchId& batch, bool every_row) {
  prepare(weights);
  run_chunks(batch, every_row);
  const Evaluation result = add_first_row(every_row);
  const auto scale = static_cast<float>(
      2.0 / (static_cast<double>(samples_) * static_cast<double>(shape_.length * shape_.d_model)));
  gradient_of_logits(weights, scale);
  gradient_of_value(weights, scale);
  return result;
}

}  // namespace sinkproof::train
