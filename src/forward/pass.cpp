#include "forward/pass.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "certificate/strict.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// One sequence on its way through the blocks.
class Pass {
 public:
  Pass(const Prepared& prepared, const exact::RationalMatrix& tokens, std::size_t first, unsigned p,
       const Observer& observer, const InputObserver& inputs)
      : prepared_(prepared),
        first_(first),
        p_(p),
        observer_(observer),
        inputs_(inputs),
        state_(balls(tokens, p)) {}

  std::optional<Balls> run() {
    const std::size_t depth = prepared_.maps().size();
    for (layer_ = 0; layer_ < depth; ++layer_) {
      if (inputs_) inputs_(layer_, state_);
      if (!run_block(layer_ + 1 == depth ? first_ : 0)) return std::nullopt;
    }
    return std::move(state_);
  }

 private:
  [[nodiscard]] const AttentionBlock& block_here() const {
    return prepared_.model().blocks[layer_];
  }

  // Rows from `first` on. False when a number is too large.
  bool run_block(std::size_t first) {
    const AttentionBlock& attention = block_here();
    const Prepared::Maps& maps = prepared_.maps()[layer_];
    const Balls query = apply(maps.query, state_, first, p_);
    const Balls key = apply(maps.key, state_, 0, p_);
    const Balls value = apply(maps.value, state_, 0, p_);
    const Balls gate = attention.kind.gated ? apply(maps.gate, state_, first, p_) : Balls();
    for (const Balls* part : {&query, &key, &value, &gate}) {
      if (!is_small(*part, p_)) return false;
    }
    const std::size_t width = attention.head_width();
    Balls mixed(state_.rows(), attention.heads * width);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      const Block queries = block(query, head * width, width);
      const Block keys = block(key, head * width, width);
      const Block values = block(value, head * width, width);
      for (std::size_t i = first; i < state_.rows(); ++i) {
        const auto weights = weights_at(head, queries, keys, i);
        if (!weights) return false;
        BallRow row = combination(weights->keys, values, p_);
        if (!is_small(row, p_)) return false;
        if (attention.kind.gated) row = gated(row, gate, i, head, p_);
        if (!is_small(row, p_)) return false;
        for (std::size_t c = 0; c < width; ++c) {
          mixed.centre(i, head * width + c) = std::move(row.centre[c]);
        }
        mixed.radius[i] = std::max(mixed.radius[i], row.radius);
      }
    }
    return put_out(apply(maps.output, mixed, first, p_), first);
  }

  std::optional<Weights> weights_at(std::size_t head, const Block& queries, const Block& keys,
                                    std::size_t i) {
    const AttentionBlock& attention = block_here();
    const Range sink = sink_logit(attention, head, p_);
    if (!is_small(sink, p_)) return std::nullopt;
    std::vector<Range> logits;
    for (std::size_t k = 0; k <= i; ++k) {
      logits.push_back(logit(queries, i, keys, k, attention.scale, p_));
      if (!is_small(logits.back(), p_)) return std::nullopt;
    }
    Weights weights = weights_of(attention.kind, logits, sink, p_);
    if (observer_) observer_(layer_, head, i + 1, weights);
    return weights;
  }

  bool put_out(Balls out, std::size_t first) {
    if (!is_small(out, p_)) return false;
    if (block_here().residual) add(out, state_, 1, first);
    state_ = std::move(out);
    return is_small(state_, p_);
  }

  const Prepared& prepared_;
  std::size_t first_;  // row asked for in the last layer, from 0
  unsigned p_;
  const Observer& observer_;
  const InputObserver& inputs_;
  std::size_t layer_ = 0;
  Balls state_;
};

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

BallRow gated(const BallRow& row, const Balls& gates, std::size_t i, std::size_t head, unsigned p) {
  const Integer& centre = gates.centre(i, head);
  return times(logistic({centre - gates.radius[i], centre + gates.radius[i]}, p), row, p);
}

std::optional<Balls> pass(const Prepared& prepared, const exact::RationalMatrix& tokens,
                          std::size_t first_row, unsigned p, const Observer& observer,
                          const InputObserver& inputs) {
  return Pass(prepared, tokens, first_row - 1, p, observer, inputs).run();
}

std::uint64_t pass_units(const Model& model, std::size_t tokens, std::size_t rows, unsigned p) {
  using certificate::cost_of;
  using certificate::product_of;
  using certificate::sum_of;
  std::uint64_t units = 0;
  for (std::size_t l = 0; l < model.blocks.size(); ++l) {
    const AttentionBlock& block = model.blocks[l];
    const std::size_t n = model.width;
    const std::size_t w = block.head_width();
    const std::size_t asked = l + 1 == model.blocks.size() ? rows : tokens;
    const std::uint64_t products =
        sum_of({product_of({2, n, w, tokens}), product_of({2, w, asked, tokens}),
                product_of({2, n, w, asked})});
    units = sum_of({units, product_of({block.heads, products, cost_of(2ULL * p + model.bits)})});
    const certificate::Kernel kernel = block.kind.kernel;
    if (kernel == certificate::Kernel::kRelu || kernel == certificate::Kernel::kLinear) continue;
    units = sum_of({units, product_of({100, block.heads, asked, tokens + 1, cost_of(2ULL * p)})});
  }
  return units;
}

exact::Enclosure enclosure(const Range& range, unsigned p) {
  const Integer unit = Integer(1) << p;
  return {exact::make_rational(range.lower, unit), exact::make_rational(range.upper, unit)};
}

exact::Enclosure entry(const Balls& rows, std::size_t row, std::size_t coordinate, unsigned p) {
  const Integer& centre = rows.centre(row - 1, coordinate);
  const Integer& radius = rows.radius[row - 1];
  return enclosure({centre - radius, centre + radius}, p);
}

}  // namespace sinkproof::forward
