#include "forward/pass.hpp"

#include <utility>

#include "forward/ball_rows.hpp"
#include "forward/body.hpp"
#include "forward/each.hpp"

namespace sinkproof::forward {
namespace {

// Rows that are given, through attention alone.
class GivenRows : public BallRows {
 public:
  using Layer = Prepared::Maps;
  static constexpr bool kAttentionOnly = true;

  GivenRows(const Model& model, unsigned p) : BallRows(p), model_(model) {}

  Shape enter(std::size_t layer) {
    block_ = &model_.blocks[layer];
    return {.width = model_.width,
            .heads = block_->heads,
            .key_heads = block_->heads,
            .head_width = block_->head_width(),
            .residual = block_->residual};
  }

  void map(const WholeMap& map, const Balls& x, std::size_t first, Balls& y, const char*) const {
    y = fitting(apply(map, x, first, p_), p_);
  }

  void add_mapped(const WholeMap& map, const Balls& x, std::size_t first, Balls& y,
                  const char*) const {
    Balls sum = fitting(apply(map, x, first, p_), p_);
    add(sum, y, 1, first);
    y = fitting(std::move(sum), p_);
  }

  void each(std::size_t count, const std::function<void(std::size_t)>& work) const {
    in_turn(count, work);
  }

  [[nodiscard]] Range sink(const Layer&, std::size_t head) const {
    return fitting(sink_logit(*block_, head, p_), p_);
  }

  template <typename Head>
  [[nodiscard]] RowWeights weigh(const Head& rows, std::size_t i,
                                 const std::vector<std::size_t>& seen, std::size_t kept,
                                 const std::optional<Block>& cached, const Range& sink) const {
    return weights_of(block_->kind, logits(rows, i, seen, kept, cached, block_->scale), sink, p_);
  }

 private:
  const Model& model_;
  const AttentionBlock* block_ = nullptr;
};

}  // namespace

Prepared::Prepared(const Model& model) : model_(&model) {
  for (const AttentionBlock& block : model.blocks) {
    maps_.push_back({whole_map(block.query),
                     whole_map(block.key),
                     whole_map(block.value),
                     whole_map(block.output),
                     {}});
    if (block.kind.gated) maps_.back().gate = whole_map(block.gate);
  }
}

Range sink_logit(const AttentionBlock& block, std::size_t head, unsigned p) {
  if (!block.kind.sinks) return {0, 0};
  return range_of(block.sinks[head], p);
}

std::optional<Balls> pass(const Prepared& prepared, const exact::RationalMatrix& tokens,
                          std::size_t first_row, unsigned p, const RowObserver& observer,
                          const InputObserver& inputs) try {
  Balls state = balls(tokens, p);
  GivenRows numbers(prepared.model(), p);
  const std::vector<Sequence> sequences = {{.begin = 0, .length = tokens.rows()}};
  Observer<GivenRows> told{.hidden = inputs};
  if (observer) {
    told.row = [&](std::size_t layer, std::size_t head, std::size_t row, const Weights& weights) {
      observer(layer, head, row + 1, weights);
    };
  }
  Body<GivenRows>(numbers, prepared.maps(), sequences, told).run(state, first_row - 1);
  return state;
} catch (const TooCoarse&) {
  return std::nullopt;
}

exact::Enclosure entry(const Balls& rows, std::size_t row, std::size_t coordinate, unsigned p) {
  return enclosure(entry_of(rows, row - 1, coordinate), p);
}

}  // namespace sinkproof::forward
