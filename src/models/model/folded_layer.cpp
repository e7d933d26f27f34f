#include "model/folded_layer.hpp"

#include <utility>

namespace sinkproof::model {
namespace {

using exact::Rational;
using exact::RationalMatrix;

// Adds bias (e_0 + e_1 + e_{n-1})^T.
void add_to_flags(RationalMatrix& matrix, std::size_t row, const Rational& bias) {
  for (const std::size_t flag : {std::size_t{0}, std::size_t{1}, matrix.columns() - 1}) {
    matrix(row, flag) += bias;
  }
}

RationalMatrix head_rows(const RationalMatrix& weight, const std::vector<Rational>& bias,
                         std::size_t head, const certificate::Box& box) {
  const std::size_t n = weight.columns();
  RationalMatrix part(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) part(i, j) = weight(head * n + i, j);
    if (!bias.empty()) add_to_flags(part, i, bias[head * n + i]);
  }
  return of_unit_tokens(std::move(part), box);
}

RationalMatrix head_columns(const RationalMatrix& weight, std::size_t head) {
  const std::size_t n = weight.rows();
  RationalMatrix part(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) part(i, j) = weight(i, head * n + j);
  }
  return part;
}

}  // namespace

FoldedLayer fold(const AttentionModel& model, std::size_t index) {
  const Layer& layer = model.layers[index];
  FoldedLayer folded;
  for (std::size_t h = 0; h < model.num_heads; ++h) {
    folded.heads.push_back(
        {exact::transpose(head_rows(layer.query, layer.query_bias, h, model.box)) *
             head_rows(layer.key, layer.key_bias, h, model.box),
         head_columns(layer.output, h) * head_rows(layer.value, layer.value_bias, h, model.box)});
    if (layer.sinks.empty()) continue;
    for (const std::size_t flag : {std::size_t{0}, std::size_t{1}, model.d_model - 1}) {
      add_to_flags(folded.heads.back().logit, flag, -layer.sinks[h]);
    }
  }
  if (layer.gate.rows() > 0) folded.gates = of_unit_tokens(layer.gate, model.box);
  folded.constant = layer.output_bias;
  folded.constant.resize(model.d_model);
  if (!certificate::kind_of(model.attention).averages()) return folded;
  for (std::size_t i = 0; i < model.d_model; ++i) {
    add_to_flags(folded.heads.front().value, i, folded.constant[i]);
    folded.constant[i] = 0;
  }
  return folded;
}

}  // namespace sinkproof::model
