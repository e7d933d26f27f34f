#include "attention/layer.hpp"

#include <utility>

#include "certificate/rule.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;
using exact::RationalMatrix;
using forward::Affine;

// e^T times a number, in a row: every token's three flags sum to one.
void add_to_flags(RationalMatrix& matrix, std::size_t row, const Rational& number) {
  for (const std::size_t flag : {kBosFlag, kTriggerFlag, matrix.columns() - 1}) {
    matrix(row, flag) += number;
  }
}

// Rows of head h of W + b e^T, of unit tokens.
RationalMatrix rows_with_bias(const Affine& map, std::size_t head, std::size_t width,
                              const certificate::Box& box) {
  RationalMatrix result = exact::rows(map.weight, head * width, width);
  for (std::size_t i = 0; i < width; ++i) add_to_flags(result, i, map.bias[head * width + i]);
  return of_unit_tokens(std::move(result), box);
}

// The product over integers: one gcd for each entry of the result.
RationalMatrix multiply(const RationalMatrix& a, const RationalMatrix& b, const Rational& factor) {
  const exact::ScaledMatrix integers = product(scaled(a), scaled(b));
  std::vector<Rational> entries;
  for (const exact::Integer& entry : integers.entries.values()) {
    entries.push_back(factor * exact::make_rational(entry, integers.denominator));
  }
  return {integers.rows(), integers.columns(), std::move(entries)};
}

// Where a row's weights sum to one, a constant is a value that every token has.
void fold_constant(Layer& layer) {
  if (!layer.kind.averages()) return;
  for (std::size_t i = 0; i < layer.width(); ++i) {
    add_to_flags(layer.heads.front().value, i, layer.constant[i]);
    layer.constant[i] = 0;
  }
}

Gate gate_of(const Affine& gates, std::size_t head, const certificate::Box& box) {
  return {of_unit_tokens(exact::rows(gates.weight, head, 1), box), gates.bias[head]};
}

}  // namespace

Layer one_layer(const forward::Model& model, std::size_t length, const certificate::Box& box) {
  const forward::AttentionBlock& block = model.blocks.front();
  const std::size_t n = model.width;
  const std::size_t width = block.head_width();
  const RationalMatrix columns = exact::transpose(block.output.weight);
  Layer layer{block.kind, {}, {}, block.output.bias};
  for (std::size_t h = 0; h < block.heads; ++h) {
    Head head{n, n - 3, length, {}, {}, token_map(n, box), {}};
    head.logit = multiply(exact::transpose(rows_with_bias(block.query, h, width, box)),
                          rows_with_bias(block.key, h, width, box), block.scale);
    // Less the null slot's, which then has logit 0.
    for (const std::size_t query : {kBosFlag, kTriggerFlag, n - 1}) {
      if (block.kind.sinks) add_to_flags(head.logit, query, -block.sinks[h]);
    }
    head.value = multiply(exact::transpose(exact::rows(columns, h * width, width)),
                          rows_with_bias(block.value, h, width, box), 1);
    head.coupling = Coupling(head.logit);
    layer.heads.push_back(std::move(head));
    if (block.kind.gated) layer.gates.push_back(gate_of(block.gate, h, box));
  }
  fold_constant(layer);
  return layer;
}

}  // namespace sinkproof::check
