#include "report/attention_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "model/attention_model.hpp"

namespace sinkproof::report {
namespace {

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

// W_K^T W_Q x: the vector whose product with a token is that token's logit for the query x.
std::vector<double> logit_vector(const Head& head, const std::vector<double>& x) {
  const std::size_t n = head.d_model;
  std::vector<double> vector(n, 0.0);
  for (std::size_t out = 0; out < n; ++out) {
    const auto row = head.query.begin() + static_cast<std::ptrdiff_t>(out * n);
    const double query = std::inner_product(x.begin(), x.end(), row, 0.0);
    for (std::size_t in = 0; in < n; ++in) vector[in] += query * head.key[out * n + in];
  }
  return vector;
}

void softmax(std::vector<double>& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit - largest);
  for (double& weight : logits) weight /= sum;
}

void scaled_relu(std::vector<double>& logits) {
  const double divisor = std::max(1.0, static_cast<double>(logits.size()) - 1);
  for (double& logit : logits) logit = logit > 0 ? logit / divisor : 0.0;
}

}  // namespace

Result<Head> load_head(const std::filesystem::path& path, const Checkpoint& certificate) {
  model::Overrides as_certified;
  as_certified.attention = certificate.attention;
  as_certified.length = certificate.length;
  as_certified.residual = false;
  as_certified.num_heads = 1;
  const auto loaded = model::load(path, as_certified);
  if (!loaded) return tl::unexpected(loaded.error());
  const std::string where = path.string();
  if (loaded->sha256 != certificate.sha256) {
    return fail("SP1203", where, "is another model: its SHA-256 is not the certificate's");
  }
  if (loaded->d_model != certificate.d_model || loaded->layers.size() != 1) {
    return fail("SP1203", where, "is not one head of the certificate's size");
  }
  return Head{certificate.attention == "softmax", loaded->d_model,
              to_doubles(loaded->layers[0].query), to_doubles(loaded->layers[0].key)};
}

std::vector<double> attention_row(const Head& head, const std::vector<std::vector<double>>& tokens,
                                  std::size_t row) {
  const std::vector<double> vector = logit_vector(head, tokens[row - 1]);
  std::vector<double> weights;
  weights.reserve(row);
  for (std::size_t key = 0; key < row; ++key) {
    weights.push_back(std::inner_product(vector.begin(), vector.end(), tokens[key].begin(), 0.0));
  }
  head.softmax ? softmax(weights) : scaled_relu(weights);
  return weights;
}

std::vector<std::size_t> shown_positions(std::size_t length, std::size_t trigger, std::size_t row) {
  std::set<std::size_t> positions = {1, trigger};
  const bool whole = length <= kWholeMap;
  const std::size_t first = whole || row <= kAround ? 1 : row - kAround;
  const std::size_t last = whole ? length : std::min(length, row + kAround);
  for (std::size_t position = first; position <= last; ++position) positions.insert(position);
  return {positions.begin(), positions.end()};
}

Result<AttentionMap> attention_map(const Head& head, const Witness& witness) {
  AttentionMap map{witness.tokens.size(), witness.trigger, witness.row, {}, {}};
  map.positions = shown_positions(map.length, map.trigger, map.row);
  for (std::size_t r = 0; r < map.positions.size(); ++r) {
    const auto weights = attention_row(head, witness.tokens, map.positions[r]);
    std::vector<double> shown;
    for (std::size_t c = 0; c <= r; ++c) {
      const double weight = weights[map.positions[c] - 1];
      if (!std::isfinite(weight)) {
        return fail("SP1204", "attention matrix", "a weight is not a finite number in doubles");
      }
      shown.push_back(weight);
    }
    map.weights.push_back(std::move(shown));
  }
  return map;
}

}  // namespace sinkproof::report
