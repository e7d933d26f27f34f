#include "report/attention_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "model/folded_layer.hpp"

namespace sinkproof::report {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;
using exact::fail;
using exact::Result;

constexpr std::size_t kAround = 16;

std::vector<double> to_doubles(const exact::RationalMatrix& matrix) {
  std::vector<double> numbers;
  numbers.reserve(matrix.rows() * matrix.columns());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      numbers.push_back(exact::to_double_estimate(matrix(i, j)));
    }
  }
  return numbers;
}

// M^T x: the vector whose product with a token is that token's logit for the query x.
std::vector<double> logit_vector(const Layer& layer, std::size_t head,
                                 const std::vector<double>& x) {
  const std::size_t n = layer.d_model;
  std::vector<double> vector(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) vector[j] += x[i] * layer.logits[head][i * n + j];
  }
  return vector;
}

double kernel_of(Kernel kernel, double logit) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(logit);
    case Kernel::kSigmoid:
      return 1 / (1 + std::exp(-logit));
    case Kernel::kElu1:
      return logit < 0 ? std::exp(logit) : logit + 1;
    case Kernel::kRelu:
      return std::max(0.0, logit);
    case Kernel::kLinear:
      break;
  }
  return logit;
}

// Its logarithm, also where the kernel itself is no double.
double log_kernel_of(Kernel kernel, double logit) {
  if (kernel == Kernel::kExp || (kernel == Kernel::kElu1 && logit < 0)) return logit;
  if (kernel == Kernel::kSigmoid && logit < 0) return logit - std::log1p(std::exp(logit));
  if (kernel == Kernel::kSigmoid) return -std::log1p(std::exp(-logit));
  return kernel == Kernel::kElu1 ? std::log1p(logit) : std::log(kernel_of(kernel, logit));
}

// Kernels over their sum, a null slot's 1 included, with the largest of them taken out.
AttentionRow normalised(const AttentionKind& kind, std::vector<double> logits) {
  const bool slot = kind.null_slot;
  for (double& logit : logits) logit = log_kernel_of(kind.kernel, logit);
  double largest = *std::max_element(logits.begin(), logits.end());
  if (slot) largest = std::max(largest, 0.0);
  const double null = slot ? std::exp(-largest) : 0;
  double sum = null;
  for (double& logit : logits) sum += logit = std::exp(logit - largest);
  for (double& weight : logits) weight /= sum;
  return {std::move(logits), slot ? std::optional(null / sum) : std::nullopt};
}

AttentionRow divided(const AttentionKind& kind, std::vector<double> logits) {
  const double divisor = std::max(1.0, static_cast<double>(logits.size()) - 1);
  for (double& logit : logits) logit = kernel_of(kind.kernel, logit) / divisor;
  return {std::move(logits), std::nullopt};
}

}  // namespace

Result<Layer> load_layer(const std::filesystem::path& path, const Checkpoint& certificate) {
  model::Overrides as_certified;
  as_certified.attention = certificate.attention;
  as_certified.length = certificate.length;
  as_certified.residual = false;
  as_certified.num_heads = certificate.num_heads;
  as_certified.num_layers = 1;
  const auto loaded = model::load(path, as_certified);
  const std::string where = path.string();
  const std::string other_size = "is not one layer of the certificate's size";
  if (!loaded && loaded.error().code == "SP1107") return fail("SP1203", where, other_size);
  if (!loaded) return tl::unexpected(loaded.error());
  if (loaded->sha256 != certificate.sha256) {
    return fail("SP1203", where, "is another model: its SHA-256 is not the certificate's");
  }
  if (loaded->d_model != certificate.d_model) return fail("SP1203", where, other_size);
  Layer layer{loaded->attention, loaded->d_model, {}};
  for (const model::FoldedHead& head : model::fold(*loaded, 0).heads) {
    layer.logits.push_back(to_doubles(head.logit));
  }
  return layer;
}

AttentionRow attention_row(const Layer& layer, std::size_t head,
                           const std::vector<std::vector<double>>& tokens, std::size_t row) {
  const std::vector<double> vector = logit_vector(layer, head, tokens[row - 1]);
  std::vector<double> logits;
  logits.reserve(row);
  for (std::size_t key = 0; key < row; ++key) {
    logits.push_back(std::inner_product(vector.begin(), vector.end(), tokens[key].begin(), 0.0));
  }
  const AttentionKind& kind = certificate::kind_of(layer.attention);
  return kind.normalised ? normalised(kind, std::move(logits)) : divided(kind, std::move(logits));
}

std::vector<std::size_t> shown_positions(std::size_t length, std::size_t trigger, std::size_t row) {
  std::set<std::size_t> positions = {1, trigger};
  const bool whole = length <= kWholeMap;
  const std::size_t first = whole || row <= kAround ? 1 : row - kAround;
  const std::size_t last = whole ? length : std::min(length, row + kAround);
  for (std::size_t position = first; position <= last; ++position) positions.insert(position);
  return {positions.begin(), positions.end()};
}

Result<AttentionMap> attention_map(const Layer& layer, std::size_t head, const Witness& witness) {
  AttentionMap map{witness.tokens.size(), witness.trigger, witness.row, {}, {}, {}};
  map.positions = shown_positions(map.length, map.trigger, map.row);
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    const AttentionRow row = attention_row(layer, head, witness.tokens, map.positions[r]);
    std::vector<double> shown;
    for (std::size_t c = 0; c <= r; ++c) {
      const double weight = row.weights[map.positions[c] - 1];
      if (!std::isfinite(weight)) {
        return fail("SP1204", "attention matrix", "a weight is not a finite number in doubles");
      }
      shown.push_back(weight);
    }
    map.weights.push_back(std::move(shown));
    if (row.null) map.null.push_back(*row.null);
  }
  return map;
}

}  // namespace sinkproof::report
