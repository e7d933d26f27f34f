#include "train/general_step.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sinkproof::train {
namespace {

// The flags BOS, trigger and content: one of them is 1 in every token.
std::array<std::size_t, 3> flags(std::size_t n) { return {0, 1, n - 1}; }

const Parameter* find(const std::vector<Parameter>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Parameter& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

void transpose(std::size_t n, const float* from, float* to) {
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) to[col * stride + row] = from[row * stride + col];
  }
}

}  // namespace

GeneralGradient::GeneralGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs)
    : shape_(shape),
      samples_(samples),
      stride_(row_stride(shape.d_model)),
      parameters_(parameters(shape)),
      chunks_(samples),
      crew_(std::min<std::size_t>(jobs, chunks_.count)),
      worker_scratch_((general_scratch_floats(shape) + kMaxLanes - 1) / kMaxLanes * kMaxLanes),
      scratch_(worker_scratch_ * crew_.workers()),
      sums_(general_chunk_sums_floats(shape) * chunks_.count),
      totals_(general_sums_layout(shape).count),
      folded_(kFolded * shape.heads * matrix_floats()),
      spare_(kSpare * matrix_floats()),
      gates_(shape.heads * stride_),
      bias_(stride_),
      gradient_(parameter_floats(shape)) {}

// M + s e e^T, e = (1,1,0,..,0,1): s more for every logit.
void GeneralGradient::add_to_flags(float* matrix, float s) const {
  for (const std::size_t row : flags(shape_.d_model)) {
    for (const std::size_t flag : flags(shape_.d_model)) matrix[row * stride_ + flag] += s;
  }
}

float GeneralGradient::sum_of_flags(const float* matrix) const {
  float sum = 0;
  for (const std::size_t row : flags(shape_.d_model)) {
    for (const std::size_t flag : flags(shape_.d_model)) sum += matrix[row * stride_ + flag];
  }
  return sum;
}

// W + b (1,1,0,..,0,1), the map of a token that W x + b is.
void GeneralGradient::fold_rows(const float* weights, const char* map, std::size_t head,
                                float* matrix) const {
  const std::size_t n = shape_.d_model;
  const float* const from = weights + find(parameters_, std::string(map) + ".weight")->offset;
  std::copy_n(from + head * n * stride_, n * stride_, matrix);
  const Parameter* const bias = find(parameters_, std::string(map) + ".bias");
  if (bias == nullptr) return;
  for (std::size_t row = 0; row < n; ++row) {
    for (const std::size_t flag : flags(n)) {
      matrix[row * stride_ + flag] += weights[bias->offset + head * n + row];
    }
  }
}

void GeneralGradient::unfold_rows(const char* map, std::size_t head, const float* matrix) {
  const std::size_t n = shape_.d_model;
  float* const to = gradient_.data() + find(parameters_, std::string(map) + ".weight")->offset;
  std::copy_n(matrix, n * stride_, to + head * n * stride_);
  const Parameter* const bias = find(parameters_, std::string(map) + ".bias");
  if (bias == nullptr) return;
  for (std::size_t row = 0; row < n; ++row) {
    float sum = 0;
    for (const std::size_t flag : flags(n)) sum += matrix[row * stride_ + flag];
    gradient_.data()[bias->offset + head * n + row] = sum;
  }
}

void GeneralGradient::fold_head(const float* weights, std::size_t head) {
  const std::size_t n = shape_.d_model;
  fold_rows(weights, "W_Q", head, folded(kQuery, head));
  fold_rows(weights, "W_K", head, folded(kKey, head));
  fold_rows(weights, "W_V", head, folded(kValue, head));
  const Parameter& output = *find(parameters_, "W_O.weight");
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(weights + output.offset + row * output.stride() + head * n, n,
                folded(kOutput, head) + row * stride_);
  }
  transpose(n, folded(kQuery, head), spare(kA));
  multiply(n, spare(kA), folded(kKey, head), folded(kLogits, head));
  if (const Parameter* sinks = find(parameters_, "sinks"); sinks != nullptr) {
    add_to_flags(folded(kLogits, head), -weights[sinks->offset + head]);
  }
  multiply(n, folded(kOutput, head), folded(kValue, head), folded(kProduct, head));
  transpose(n, folded(kProduct, head), folded(kProductTransposed, head));
}

void GeneralGradient::fold_gates(const float* weights) {
  const std::size_t n = shape_.d_model;
  const float* const gate = weights + find(parameters_, "W_G.weight")->offset;
  const float* const bias = weights + find(parameters_, "W_G.bias")->offset;
  std::copy_n(gate, shape_.heads * stride_, gates_.data());
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    for (const std::size_t flag : flags(n)) gates_.data()[head * stride_ + flag] += bias[head];
  }
}

void GeneralGradient::fold(const float* weights) {
  for (std::size_t head = 0; head < shape_.heads; ++head) fold_head(weights, head);
  if (certificate::kind_of(shape_.attention).gated) fold_gates(weights);
  if (const Parameter* bias = find(parameters_, "W_O.bias"); bias != nullptr) {
    std::copy_n(weights + bias->offset, shape_.d_model, bias_.data());
  }
}

// n^2 totals from `first_entry` on as a padded matrix.
const float* GeneralGradient::scaled(std::size_t first_entry, double scale, float* matrix) const {
  const std::size_t n = shape_.d_model;
  for (std::size_t at = 0; at < n * n; ++at) {
    matrix[at / n * stride_ + at % n] =
        static_cast<float>(scale) * totals_.data()[first_entry + at];
  }
  return matrix;
}

void GeneralGradient::unfold_head(std::size_t head, double scale) {
  const std::size_t n = shape_.d_model;
  const GeneralSumsLayout layout = general_sums_layout(shape_);
  const std::size_t own = head * layout.head;
  const float* const d_logits = scaled(own + layout.logits, scale, spare(kA));
  if (const Parameter* sinks = find(parameters_, "sinks"); sinks != nullptr) {
    gradient_.data()[sinks->offset + head] = -sum_of_flags(d_logits);
  }
  transpose(n, d_logits, spare(kB));
  multiply(n, folded(kKey, head), spare(kB), spare(kC));  // d W_Q = W_K dM^T
  unfold_rows("W_Q", head, spare(kC));
  multiply(n, folded(kQuery, head), d_logits, spare(kC));  // d W_K = W_Q dM
  unfold_rows("W_K", head, spare(kC));
  const float* const d_product = scaled(own + layout.value, scale, spare(kA));
  transpose(n, folded(kOutput, head), spare(kB));
  multiply(n, spare(kB), d_product, spare(kC));  // d W_V = W_O^T dV
  unfold_rows("W_V", head, spare(kC));
  transpose(n, folded(kValue, head), spare(kB));
  multiply(n, d_product, spare(kB), spare(kC));  // d W_O = dV W_V^T
  const Parameter& output = *find(parameters_, "W_O.weight");
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(spare(kC) + row * stride_, n,
                gradient_.data() + output.offset + row * output.stride() + head * n);
  }
}

void GeneralGradient::unfold_gates(double scale) {
  const std::size_t n = shape_.d_model;
  const GeneralSumsLayout layout = general_sums_layout(shape_);
  float* const gate = gradient_.data() + find(parameters_, "W_G.weight")->offset;
  float* const bias = gradient_.data() + find(parameters_, "W_G.bias")->offset;
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    const float* const total = totals_.data() + head * layout.head + layout.gate;
    for (std::size_t c = 0; c < n; ++c) {
      gate[head * stride_ + c] = static_cast<float>(scale) * total[c];
    }
    bias[head] = 0;
    for (const std::size_t flag : flags(n)) bias[head] += gate[head * stride_ + flag];
  }
}

void GeneralGradient::unfold(double scale) {
  for (std::size_t head = 0; head < shape_.heads; ++head) unfold_head(head, scale);
  if (certificate::kind_of(shape_.attention).gated) unfold_gates(scale);
  if (const Parameter* bias = find(parameters_, "W_O.bias"); bias != nullptr) {
    const float* const total = totals_.data() + general_sums_layout(shape_).bias;
    for (std::size_t c = 0; c < shape_.d_model; ++c) {
      gradient_.data()[bias->offset + c] = static_cast<float>(scale) * total[c];
    }
  }
}

Evaluation GeneralGradient::evaluate(const float* weights, const BatchId& batch,
                                     bool /*every_row*/) {
  fold(weights);
  const GeneralOperators operators{folded(kLogits, 0), folded(kProduct, 0),
                                   folded(kProductTransposed, 0), gates_.data(), bias_.data()};
  const std::size_t chunk_floats = general_chunk_sums_floats(shape_);
  crew_.run(chunks_.count, [&](std::size_t worker, std::size_t chunk) {
    const ChunkRequest request{shape_, batch, chunks_.first(chunk), chunks_.samples(chunk), true};
    general_chunk_gradient(request, operators, scratch_.data() + worker * worker_scratch_,
                           sums_.data() + chunk * chunk_floats);
  });
  const GeneralSumsLayout layout = general_sums_layout(shape_);
  total_sums(layout.linf, layout.count - layout.linf, chunks_.count, sums_.data(), totals_.data());
  const double entries =
      static_cast<double>(samples_) * static_cast<double>(shape_.length * shape_.d_model);
  unfold(2.0 / entries);
  return {totals_.data()[layout.loss] / entries, totals_.data()[layout.linf], true};
}

}  // namespace sinkproof::train
