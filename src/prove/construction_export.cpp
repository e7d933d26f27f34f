#include "prove/construction_export.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "certificate/sha256.hpp"
#include "json/strict.hpp"
#include "prove/construction.hpp"
#include "prove/nearest_double.hpp"

namespace sinkproof::prove {
namespace {

using certificate::Attention;
using certificate::Construction;
using certificate::ConstructionHead;
using certificate::PerFlag;
using exact::Rational;
using exact::Result;

// Where the flags of a token stand among its n coordinates, in the order of certificate::Flag.
std::array<std::size_t, 3> flag_coordinates(std::size_t n) { return {0, 1, n - 1}; }

double logit(const Rational& probability) { return nearest_log(probability / (1 - probability)); }

// A score whose kernel of this kind is `k`.
double score(Attention attention, const Rational& k) {
  switch (certificate::kind_of(attention).kernel) {
    case certificate::Kernel::kExp:
      return nearest_log(k);
    case certificate::Kernel::kSigmoid:
      return logit(k);
    case certificate::Kernel::kElu1:
      return k > 1 ? nearest_double(k - 1) : nearest_log(k);
    case certificate::Kernel::kRelu:
    case certificate::Kernel::kLinear:
      return nearest_double(k);
  }
  return 0;
}

// Row-major doubles with a shape.
struct Weights {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values = std::vector<double>(rows * columns);
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

void put_identity(Weights& weights, std::size_t row, std::size_t column, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) weights.at(row + c, column + c) = 1;
}

void put_scores(Weights& key, std::size_t row, Attention kind, const ConstructionHead& head) {
  const auto at = flag_coordinates(key.columns);
  for (std::size_t query = 0; query < at.size(); ++query) {
    for (std::size_t other = 0; other < at.size(); ++other) {
      key.at(row + at[query], at[other]) = score(kind, head.kernel[query][other]);
    }
  }
}

void put_value_map(Weights& value, std::size_t row, const ConstructionHead& head) {
  const auto at = flag_coordinates(value.columns);
  const double noise = nearest_double(head.noise);
  for (std::size_t c = at[1] + 1; c < at[2]; ++c) value.at(row + c, c) = noise;
  for (std::size_t output = 0; output < at.size(); ++output) {
    for (std::size_t input = 0; input < at.size(); ++input) {
      value.at(row + at[output], at[input]) = nearest_double(head.flags[output][input]);
    }
  }
}

void put_gate(Weights& gate, std::size_t h, const PerFlag& factors) {
  const auto at = flag_coordinates(gate.columns);
  for (std::size_t query = 0; query < at.size(); ++query) {
    gate.at(h, at[query]) = logit(factors[query]);
  }
}

safetensors::Tensor float64_tensor(std::vector<std::uint64_t> shape,
                                   const std::vector<double>& values) {
  safetensors::Tensor tensor;
  tensor.dtype = safetensors::Dtype::kF64;
  tensor.dtype_name = "F64";
  tensor.shape = std::move(shape);
  tensor.bytes.resize(values.size() * sizeof(double));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

Result<void> put_tensor(safetensors::Contents& checkpoint, const std::string& name,
                        const Weights& weights, const std::string& where) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(weights.values.begin(), weights.values.end(), is_finite)) {
    return exact::fail("SP0717", where + ": " + name, "a number is beyond the range of doubles");
  }
  checkpoint.tensors[name] = float64_tensor({weights.rows, weights.columns}, weights.values);
  return {};
}

Result<safetensors::Contents> tensors_of(const Construction& construction, std::size_t n,
                                         const std::string& where) {
  const std::size_t heads = construction.heads.size();
  Weights query{heads * n, n};
  Weights key{heads * n, n};
  Weights value{heads * n, n};
  Weights output{n, heads * n};
  Weights gate{heads, n};
  const bool gated = construction.attention == Attention::kSoftmaxGated;
  for (std::size_t h = 0; h < heads; ++h) {
    put_identity(query, h * n, 0, n);
    put_scores(key, h * n, construction.attention, construction.heads[h]);
    put_value_map(value, h * n, construction.heads[h]);
    put_identity(output, 0, h * n, n);
    if (gated) put_gate(gate, h, construction.heads[h].gate);
  }
  safetensors::Contents checkpoint;
  auto done = put_tensor(checkpoint, "W_Q.weight", query, where);
  if (done) done = put_tensor(checkpoint, "W_K.weight", key, where);
  if (done) done = put_tensor(checkpoint, "W_V.weight", value, where);
  if (done) done = put_tensor(checkpoint, "W_O.weight", output, where);
  if (done && gated) {
    checkpoint.tensors["W_G.bias"] = float64_tensor({heads}, std::vector<double>(heads));
    done = put_tensor(checkpoint, "W_G.weight", gate, where);
  }
  if (!done) return tl::unexpected(done.error());
  return checkpoint;
}

}  // namespace

Result<ConstructionExport> export_construction(std::string_view text, std::size_t d_model,
                                               const std::string& where) {
  const auto content = json::parse_strict(text, where);
  if (!content) return tl::unexpected(content.error());
  if (auto held = verify_construction(*content, where); !held) return tl::unexpected(held.error());
  auto construction = certificate::read_construction(content->at("statement"), where);
  if (!construction) return tl::unexpected(construction.error());
  auto checkpoint = tensors_of(*construction, d_model, where);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  ConstructionExport result{std::move(*construction), certificate::sha256_hex(text),
                            std::move(*checkpoint)};
  result.checkpoint.metadata = {{"attention", to_string(result.construction.attention)},
                                {"d_model", std::to_string(d_model)},
                                {"num_heads", std::to_string(result.construction.heads.size())},
                                {"num_layers", "1"},
                                {"seq_len", std::to_string(result.construction.length)},
                                {"residual", "false"},
                                {"construction", result.sha256}};
  return result;
}

}  // namespace sinkproof::prove
