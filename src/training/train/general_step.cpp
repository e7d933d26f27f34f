#include "train/general_step.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "train/parameters.hpp"

namespace sinkproof::train {
namespace {

using Map = GeneralGradient::Map;
using LayerMaps = GeneralGradient::LayerMaps;

std::vector<LayerMaps> layer_maps(const Shape& shape) {
  std::map<std::string, std::size_t> offsets;
  for (const Parameter& parameter : parameters(shape)) offsets[parameter.name] = parameter.offset;
  const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
    const auto found = offsets.find(name);
    if (found == offsets.end()) return std::nullopt;
    return found->second;
  };
  std::vector<LayerMaps> layers;
  for (std::size_t l = 0; l < shape.layers; ++l) {
    const std::string prefix = layer_prefix(shape, l);
    const auto map = [&](const char* name) {
      return Map{find(prefix + name + ".weight").value_or(0), find(prefix + name + ".bias")};
    };
    layers.push_back(
        {map("W_Q"), map("W_K"), map("W_V"), map("W_O"), map("W_G"), find(prefix + "sinks")});
  }
  return layers;
}

// The features that sum to 1 (general_kernels.hpp): the one that is 1, or a token's flags BOS,
// trigger and content.
std::vector<std::size_t> units(const Shape& shape) {
  const std::size_t n = shape.d_model;
  if (features(shape) > n) return {n};
  return {0, 1, n - 1};
}

// The sums hold gradients of half the sum of squared errors, so the penalty's mean over layers,
// heads and rows 2..L counts as many times as a sample has errors.
float bos_pull(const Shape& shape, double bos_penalty) {
  const auto errors = static_cast<double>(shape.length * shape.d_model);
  const auto weights = static_cast<double>(shape.layers * shape.heads * (shape.length - 1));
  return static_cast<float>(bos_penalty * errors / weights);
}

void transpose(std::size_t n, const float* from, float* to) {
  const std::size_t stride = row_stride(n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) to[col * stride + row] = from[row * stride + col];
  }
}

}  // namespace

GeneralGradient::GeneralGradient(const Shape& shape, std::uint32_t samples, std::size_t jobs,
                                 double bos_penalty)
    : shape_(shape),
      samples_(samples),
      bos_pull_(bos_pull(shape, bos_penalty)),
      features_(features(shape)),
      stride_(row_stride(features_)),
      layers_(layer_maps(shape)),
      units_(units(shape)),
      chunks_(samples),
      crew_(std::min<std::size_t>(jobs, chunks_.count)),
      worker_scratch_((general_scratch_floats(shape) + kMaxLanes - 1) / kMaxLanes * kMaxLanes),
      scratch_(worker_scratch_ * crew_.workers()),
      sums_(general_chunk_sums_floats(shape) * chunks_.count),
      totals_(general_sums_layout(shape).count),
      folded_(kFolded * shape.layers * shape.heads * matrix_floats()),
      spare_(kSpare * matrix_floats()),
      gates_(shape.layers * shape.heads * stride_),
      bias_(shape.layers * stride_),
      gradient_(parameter_floats(shape)) {}

// M + s 1 1^T, 1 on the units: s more for every logit.
void GeneralGradient::add_to_units(float* matrix, float s) const {
  for (const std::size_t row : units_) {
    for (const std::size_t unit : units_) matrix[row * stride_ + unit] += s;
  }
}

float GeneralGradient::sum_of_units(const float* matrix) const {
  float sum = 0;
  for (const std::size_t row : units_) {
    for (const std::size_t unit : units_) sum += matrix[row * stride_ + unit];
  }
  return sum;
}

// Rows of W + b 1^T, 1 on the units: the map of a row that W x + b is.
void GeneralGradient::fold_rows(const float* weights, const Map& map, std::size_t first,
                                std::size_t rows, float* matrix) const {
  const std::size_t n = shape_.d_model;
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = matrix + row * stride_;
    std::copy_n(weights + map.weight + (first + row) * row_stride(n), n, to);
    std::fill(to + n, to + features_, 0.0F);
    if (!map.bias) continue;
    for (const std::size_t unit : units_) to[unit] += weights[*map.bias + first + row];
  }
}

void GeneralGradient::unfold_rows(const Map& map, std::size_t first, std::size_t rows,
                                  const float* matrix) {
  const std::size_t n = shape_.d_model;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const from = matrix + row * stride_;
    std::copy_n(from, n, gradient_.data() + map.weight + (first + row) * row_stride(n));
    if (!map.bias) continue;
    float sum = 0;
    for (const std::size_t unit : units_) sum += from[unit];
    gradient_.data()[*map.bias + first + row] = sum;
  }
}

void GeneralGradient::fold_head(const float* weights, std::size_t layer, std::size_t head) {
  const std::size_t n = shape_.d_model;
  const std::size_t block = layer * shape_.heads + head;
  const LayerMaps& maps = layers_[layer];
  fold_rows(weights, maps.query, head * n, n, folded(kQuery, block));
  fold_rows(weights, maps.key, head * n, n, folded(kKey, block));
  fold_rows(weights, maps.value, head * n, n, folded(kValue, block));
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(weights + maps.output.weight + row * row_stride(shape_.heads * n) + head * n, n,
                folded(kOutput, block) + row * stride_);
  }
  transpose(features_, folded(kQuery, block), spare(kA));
  multiply(features_, spare(kA), folded(kKey, block), folded(kLogits, block));
  if (maps.sinks) add_to_units(folded(kLogits, block), -weights[*maps.sinks + head]);
  transpose(features_, folded(kLogits, block), folded(kLogitsTransposed, block));
  multiply(features_, folded(kOutput, block), folded(kValue, block), folded(kProduct, block));
  transpose(features_, folded(kProduct, block), folded(kProductTransposed, block));
}

void GeneralGradient::fold_layer(const float* weights, std::size_t layer) {
  const LayerMaps& maps = layers_[layer];
  for (std::size_t head = 0; head < shape_.heads; ++head) fold_head(weights, layer, head);
  if (certificate::kind_of(shape_.attention).gated) {
    fold_rows(weights, maps.gate, 0, shape_.heads, gates_.data() + layer * shape_.heads * stride_);
  }
  if (maps.output.bias) {
    std::copy_n(weights + *maps.output.bias, shape_.d_model, bias_.data() + layer * stride_);
  }
}

// Rows of totals from `first_entry` on as a padded matrix; its other rows become zero.
const float* GeneralGradient::scaled(std::size_t first_entry, std::size_t rows, float scale,
                                     float* matrix) const {
  std::fill_n(matrix, matrix_floats(), 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const from = totals_.data() + first_entry + row * features_;
    for (std::size_t c = 0; c < features_; ++c) matrix[row * stride_ + c] = scale * from[c];
  }
  return matrix;
}

void GeneralGradient::unfold_head(std::size_t layer, std::size_t head, float scale) {
  const std::size_t n = shape_.d_model;
  const std::size_t block = layer * shape_.heads + head;
  const LayerMaps& maps = layers_[layer];
  const GeneralSumsLayout layout = general_sums_layout(shape_);
  const std::size_t own = layer * layout.layer + head * layout.head;
  const float* const d_logits = scaled(own + layout.logits, features_, scale, spare(kA));
  if (maps.sinks) gradient_.data()[*maps.sinks + head] = -sum_of_units(d_logits);
  transpose(features_, d_logits, spare(kB));
  multiply(features_, folded(kKey, block), spare(kB), spare(kC));  // d W_Q = W_K dM^T
  unfold_rows(maps.query, head * n, n, spare(kC));
  multiply(features_, folded(kQuery, block), d_logits, spare(kC));  // d W_K = W_Q dM
  unfold_rows(maps.key, head * n, n, spare(kC));
  const float* const d_product = scaled(own + layout.value, n, scale, spare(kA));
  transpose(features_, folded(kOutput, block), spare(kB));
  multiply(features_, spare(kB), d_product, spare(kC));  // d W_V = W_O^T dV
  unfold_rows(maps.value, head * n, n, spare(kC));
  transpose(features_, folded(kValue, block), spare(kB));
  multiply(features_, d_product, spare(kB), spare(kC));  // d W_O = dV W_V^T
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(
        spare(kC) + row * stride_, n,
        gradient_.data() + maps.output.weight + row * row_stride(shape_.heads * n) + head * n);
  }
  if (certificate::kind_of(shape_.attention).gated) {
    unfold_rows(maps.gate, head, 1, scaled(own + layout.gate, 1, scale, spare(kA)));
  }
}

void GeneralGradient::unfold_layer(std::size_t layer, float scale) {
  for (std::size_t head = 0; head < shape_.heads; ++head) unfold_head(layer, head, scale);
  if (const auto bias = layers_[layer].output.bias) {
    const GeneralSumsLayout layout = general_sums_layout(shape_);
    const float* const total = totals_.data() + layer * layout.layer + layout.bias;
    for (std::size_t c = 0; c < shape_.d_model; ++c) gradient_.data()[*bias + c] = scale * total[c];
  }
}

Evaluation GeneralGradient::evaluate(const float* weights, const BatchId& batch,
                                     bool /*every_row*/) {
  for (std::size_t l = 0; l < shape_.layers; ++l) fold_layer(weights, l);
  const GeneralOperators operators{folded(kLogits, 0),  folded(kLogitsTransposed, 0),
                                   folded(kProduct, 0), folded(kProductTransposed, 0),
                                   gates_.data(),       bias_.data()};
  const std::size_t chunk_floats = general_chunk_sums_floats(shape_);
  crew_.run(chunks_.count, [&](std::size_t worker, std::size_t chunk) {
    const ChunkRequest request{shape_, batch,    chunks_.first(chunk), chunks_.samples(chunk),
                               true,   bos_pull_};
    general_chunk_gradient(request, operators, scratch_.data() + worker * worker_scratch_,
                           sums_.data() + chunk * chunk_floats);
  });
  const GeneralSumsLayout layout = general_sums_layout(shape_);
  total_sums(layout.linf, layout.count - layout.linf, chunks_.count, sums_.data(), totals_.data());
  const double entries =
      static_cast<double>(samples_) * static_cast<double>(shape_.length * shape_.d_model);
  for (std::size_t l = 0; l < shape_.layers; ++l) {
    unfold_layer(l, static_cast<float>(2.0 / entries));
  }
  return {totals_.data()[layout.loss] / entries, totals_.data()[layout.linf], true};
}

}  // namespace sinkproof::train
