#include "forward/pass.hpp"

#include <algorithm>
#include <utility>

#include "certificate/strict.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::forward {
namespace {

using Told = std::function<void(std::size_t head, std::size_t row, const Weights&)>;

// What the heads put out at rows `first` .. (from 0), side by side.
Balls attention(const AttentionBlock& heads, const Prepared::Maps& maps, const Balls& x,
                std::size_t first, unsigned p, const Told& told) {
  const Balls query = fitting(apply(maps.query, x, first, p), p);
  const Balls key = fitting(apply(maps.key, x, 0, p), p);
  const Balls value = fitting(apply(maps.value, x, 0, p), p);
  const Balls gate = fitting(apply(maps.gate, x, first, p), p);
  const std::size_t width = heads.head_width();
  Balls mixed(x.rows(), heads.heads * width);
  for (std::size_t head = 0; head < heads.heads; ++head) {
    const Block queries = block(query, head * width, width);
    const Block keys = block(key, head * width, width);
    const Block values = block(value, head * width, width);
    const Range sink = fitting(sink_logit(heads, head, p), p);
    for (std::size_t i = first; i < x.rows(); ++i) {
      std::vector<Range> logits;
      for (std::size_t k = 0; k <= i; ++k) {
        logits.push_back(fitting(logit(queries, i, keys, k, heads.scale, p), p));
      }
      const Weights weights = weights_of(heads.kind, logits, sink, p);
      told(head, i + 1, weights);
      Balls row = fitting(combination(weights.keys, values, p), p);
      if (heads.kind.gated) row = fitting(gated(row, gate, i, head, p), p);
      put(mixed, i, head * width, row);
    }
  }
  return mixed;
}

}  // namespace

Prepared::Prepared(const Model& model) : model_(&model) {
  for (const AttentionBlock& block : model.blocks) {
    maps_.push_back({whole_map(block.query), whole_map(block.key), whole_map(block.value),
                     whole_map(block.output), whole_map(block.gate)});
  }
}

Range sink_logit(const AttentionBlock& block, std::size_t head, unsigned p) {
  if (!block.kind.sinks) return {0, 0};
  return range_of(block.sinks[head], p);
}

Balls gated(const Balls& row, const Balls& gates, std::size_t i, std::size_t head, unsigned p) {
  return times(logistic(entry_of(gates, i, head), p), row, p);
}

std::optional<Balls> pass(const Prepared& prepared, const exact::RationalMatrix& tokens,
                          std::size_t first_row, unsigned p, const Observer& observer,
                          const InputObserver& inputs) try {
  Balls state = balls(tokens, p);
  const std::size_t depth = prepared.maps().size();
  for (std::size_t l = 0; l < depth; ++l) {
    if (inputs) inputs(l, state);
    const AttentionBlock& block = prepared.model().blocks[l];
    const Prepared::Maps& maps = prepared.maps()[l];
    const std::size_t first = l + 1 == depth ? first_row - 1 : 0;
    const Told told = [&](std::size_t head, std::size_t row, const Weights& weights) {
      if (observer) observer(l, head, row, weights);
    };
    const Balls mixed = attention(block, maps, state, first, p, told);
    Balls out = fitting(apply(maps.output, mixed, first, p), p);
    if (block.residual) add(out, state, 1, first);
    state = fitting(std::move(out), p);
  }
  return state;
} catch (const TooCoarse&) {
  return std::nullopt;
}

exact::Enclosure entry(const Balls& rows, std::size_t row, std::size_t coordinate, unsigned p) {
  return enclosure(entry_of(rows, row - 1, coordinate), p);
}

}  // namespace sinkproof::forward
