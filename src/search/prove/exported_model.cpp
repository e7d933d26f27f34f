#include "prove/exported_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "output/safetensors.hpp"

namespace sinkproof::prove {
namespace {

using exact::Result;
using Weights = exact::Matrix<double>;

void put(Weights& weights, std::size_t row, std::size_t column, const Weights& block) {
  for (std::size_t r = 0; r < block.rows(); ++r) {
    for (std::size_t c = 0; c < block.columns(); ++c) {
      weights(row + r, column + c) = block(r, c);
    }
  }
}

Weights identity(std::size_t n) {
  Weights weights(n, n);
  for (std::size_t c = 0; c < n; ++c) weights(c, c) = 1;
  return weights;
}

// Row-major.
std::vector<double> entries_of(const Weights& weights) {
  std::vector<double> entries;
  entries.reserve(weights.rows() * weights.columns());
  for (std::size_t r = 0; r < weights.rows(); ++r) {
    for (std::size_t c = 0; c < weights.columns(); ++c) entries.push_back(weights(r, c));
  }
  return entries;
}

Result<void> put_tensor(safetensors::Contents& checkpoint, const std::string& name,
                        const Weights& weights, const std::string& where) {
  const std::vector<double> entries = entries_of(weights);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(entries.begin(), entries.end(), is_finite)) {
    return exact::fail(
        "SP0717", where + ": " + name,
        "has a number beyond the range of doubles; export another member of the family");
  }
  checkpoint.tensors[name] = output::float64_tensor({weights.rows(), weights.columns()}, entries);
  return {};
}

Result<void> put_layer(safetensors::Contents& checkpoint, const std::string& prefix,
                       const std::vector<ExportedHead>& heads, std::size_t n,
                       const std::string& where) {
  Weights query(heads.size() * n, n);
  Weights key(heads.size() * n, n);
  Weights value(heads.size() * n, n);
  Weights output(n, heads.size() * n);
  Weights gate(heads.size(), n);
  const bool gated = !heads[0].gate.empty();
  for (std::size_t h = 0; h < heads.size(); ++h) {
    put(query, h * n, 0, identity(n));
    put(key, h * n, 0, heads[h].scores);
    put(value, h * n, 0, heads[h].values);
    put(output, 0, h * n, identity(n));
    if (gated) put(gate, h, 0, Weights(1, n, heads[h].gate));
  }
  auto done = put_tensor(checkpoint, prefix + "W_Q.weight", query, where);
  if (done) done = put_tensor(checkpoint, prefix + "W_K.weight", key, where);
  if (done) done = put_tensor(checkpoint, prefix + "W_V.weight", value, where);
  if (done) done = put_tensor(checkpoint, prefix + "W_O.weight", output, where);
  if (done && gated) {
    checkpoint.tensors[prefix + "W_G.bias"] =
        output::float64_tensor({heads.size()}, std::vector<double>(heads.size()));
    done = put_tensor(checkpoint, prefix + "W_G.weight", gate, where);
  }
  return done;
}

}  // namespace

Result<safetensors::Contents> checkpoint_of(const ExportedModel& model, const std::string& where) {
  safetensors::Contents checkpoint;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const std::string prefix = model.layers.size() == 1 ? "" : "layers." + std::to_string(l) + ".";
    const auto done = put_layer(checkpoint, prefix, model.layers[l], model.d_model, where);
    if (!done) return tl::unexpected(done.error());
  }
  checkpoint.metadata = {{"attention", to_string(model.attention)},
                         {"d_model", std::to_string(model.d_model)},
                         {"num_heads", std::to_string(model.layers[0].size())},
                         {"num_layers", std::to_string(model.layers.size())},
                         {"seq_len", std::to_string(model.length)},
                         {"residual", model.residual ? "true" : "false"},
                         {"construction", model.sha256}};
  return checkpoint;
}

}  // namespace sinkproof::prove
