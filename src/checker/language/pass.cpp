#include "language/pass.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/pass.hpp"
#include "forward/weights.hpp"
#include "language/rotary.hpp"
#include "language/rows.hpp"

namespace sinkproof::language {
namespace {

using forward::Balls;
using forward::Range;

class Pass {
 public:
  Pass(const Model& model, const TokenIds& tokens, const Intervention& intervention, unsigned p,
       const Observer& observer, const ForEach& each)
      : model_(model),
        config_(model.config),
        table_(*model.config.architecture),
        tokens_(tokens),
        intervention_(intervention),
        p_(p),
        observer_(observer),
        each_(each),
        constants_(p) {}

  Balls run() {
    if (config_.rotary) angles_ = rotary_angles(*config_.rotary, length(), p_);
    const Range one{unit(p_), unit(p_)};
    const Range width = forward::range_of(config_.head_width, p_);
    scale_ = forward::over(one, forward::root_of(width, p_), p_);
    embed();
    for (layer_ = 0; layer_ < config_.layers; ++layer_) {
      if (observer_.hidden) observer_.hidden(layer_, state_);
      run_layer(model_.layers[layer_]);
    }
    if (observer_.hidden) observer_.hidden(config_.layers, state_);
    Balls rows = model_.final_norm ? norm(state_, *model_.final_norm) : std::move(state_);
    return model_.project_out ? mapped(*model_.project_out, rows) : rows;
  }

 private:
  [[nodiscard]] std::size_t length() const { return tokens_.size(); }

  [[nodiscard]] Balls fitting(Balls rows) const { return forward::fitting(std::move(rows), p_); }
  [[nodiscard]] Balls mapped(const Map& map, const Balls& x) const {
    return fitting(apply(map, x, p_, each_));
  }

  [[nodiscard]] Balls norm(const Balls& x, const NormWeights& weights) const {
    return normalised(x, weights, table_.norm, config_.epsilon, config_.width, p_);
  }

  // Where a token stands, from 0.
  [[nodiscard]] std::size_t place(std::size_t i) const {
    const auto& eviction = intervention_.eviction;
    return eviction && eviction->renumbered ? std::min(i, eviction->first + eviction->window - 1)
                                            : i;
  }

  void add_row(const safetensors::View& tensor, std::size_t row, std::size_t to) {
    bool rounded = false;
    const std::size_t width = state_.columns();
    for (std::size_t j = 0; j < width; ++j) {
      const Range e = element(tensor, row * width + j, p_);
      state_.centre(to, j) += e.lower;
      rounded = rounded || e.lower != e.upper;
    }
    if (rounded) state_.radius[to] += 1;
  }

  void embed() {
    state_ = Balls(length(), config_.token_width);
    for (std::size_t i = 0; i < length(); ++i) add_row(*model_.token, tokens_[i], i);
    if (model_.project_in) state_ = mapped(*model_.project_in, state_);
    for (std::size_t i = 0; i < length(); ++i) {
      if (model_.position != nullptr) {
        add_row(*model_.position, place(i) + table_.position_offset, i);
      }
      if (model_.token_type != nullptr) add_row(*model_.token_type, 0, i);
    }
    if (model_.embedding_norm) state_ = norm(state_, *model_.embedding_norm);
    state_ = fitting(std::move(state_));
  }

  // x + f(norm(x)), or norm(x + f(x)); in parallel both f read the same x.
  void run_layer(const Layer& layer) {
    const Balls attention = attend(layer, before(layer.attention_norm));
    if (config_.parallel) {
      if (layer.mlp_in) forward::add(state_, mlp(layer, before(layer.mlp_norm)), 1);
      forward::add(state_, attention, 1);
      state_ = fitting(std::move(state_));
      return;
    }
    put(attention, layer.attention_norm);
    if (layer.mlp_in) put(mlp(layer, before(layer.mlp_norm)), layer.mlp_norm);
  }

  [[nodiscard]] Balls before(const NormWeights& weights) const {
    return config_.norm_after ? state_ : norm(state_, weights);
  }

  void put(const Balls& added, const NormWeights& weights) {
    forward::add(state_, added, 1);
    state_ = fitting(std::move(state_));
    if (config_.norm_after) state_ = norm(state_, weights);
  }

  [[nodiscard]] Balls mlp(const Layer& layer, const Balls& x) const {
    Balls inner = mapped(*layer.mlp_in, x);
    if (layer.mlp_gate) {
      const Balls gate = mapped(*layer.mlp_gate, x);
      inner = product(activated(gate, config_.activation, constants_, each_), inner, p_);
    } else {
      inner = activated(inner, config_.activation, constants_, each_);
    }
    return mapped(*layer.mlp_out, fitting(std::move(inner)));
  }

  Balls attend(const Layer& layer, const Balls& x) {
    const Balls query = scaled(projected(layer.query, layer.query_norm, x), scale_, p_);
    const Balls queries = fitting(turned_at(query, false));
    std::optional<Balls> cached;  // within the cache, where that differs
    if (intervention_.eviction && intervention_.eviction->renumbered) {
      cached = turned_at(query, true);
    }
    const Balls keys = fitting(turned_at(projected(layer.key, layer.key_norm, x), false));
    const Balls values = mapped(layer.value, x);
    std::optional<Balls> gates;
    if (layer.gate) gates = mapped(*layer.gate, x);
    return mapped(layer.output, heads(layer, queries, cached, keys, values, gates));
  }

  [[nodiscard]] Balls projected(const Map& map, const std::optional<NormWeights>& weights,
                                const Balls& x) const {
    Balls rows = mapped(map, x);
    if (!weights) return rows;
    return normalised(rows, *weights, Norm::kRms, config_.epsilon, config_.head_width, p_);
  }

  [[nodiscard]] Balls turned_at(Balls rows, bool in_cache) const {
    for (std::size_t i = 0; i < angles_.size(); ++i) {
      rotate(rows, i, config_.head_width, angles_[in_cache ? place(i) : i], p_);
    }
    return rows;
  }

  // Whether query i of this head sees key k, all from 0.
  [[nodiscard]] bool sees(std::size_t head, std::size_t i, std::size_t k) const {
    if (table_.bidirectional) return true;
    if (k > i) return false;
    const auto& window = config_.windows[layer_];
    if (window && i - k >= *window) return false;
    const auto& eviction = intervention_.eviction;
    if (eviction && k >= eviction->first && i - k >= eviction->window) return false;
    return !(intervention_.ablated == std::pair(layer_, head) && k == 0 && i > 0);
  }

  // Side by side, each times its gate where there are gates.
  Balls heads(const Layer& layer, const Balls& queries, const std::optional<Balls>& cached,
              const Balls& keys, const Balls& values, const std::optional<Balls>& gates) {
    const std::size_t width = config_.head_width;
    Balls all(length(), config_.heads * width);
    std::mutex one;  // head at a time is seen and put into `all`; then its weights are let go
    each_(config_.heads, [&](std::size_t h) {
      std::vector<std::vector<Range>> weights;
      const std::size_t g = h / (config_.heads / config_.key_heads);
      HeadRows rows{layer_,
                    h,
                    g,
                    forward::block(queries, h * width, width),
                    forward::block(keys, g * width, width),
                    forward::block(values, g * width, width),
                    &weights,
                    nullptr};
      const std::vector<Balls> outputs = run_head(layer, rows, cached, weights);
      rows.outputs = &outputs;
      const std::lock_guard lock(one);
      if (observer_.head) observer_.head(rows);
      for (std::size_t i = 0; i < length(); ++i) {
        const Balls& row = outputs[i];
        forward::put(all, i, h * width, gates ? forward::gated(row, *gates, i, h, p_) : row);
      }
    });
    return all;
  }

  // A row for each query; fills `weights`, likewise.
  [[nodiscard]] std::vector<Balls> run_head(const Layer& layer, const HeadRows& rows,
                                            const std::optional<Balls>& in_cache,
                                            std::vector<std::vector<Range>>& weights) const {
    const std::size_t h = rows.head;
    std::optional<forward::Block> cached;
    if (in_cache) cached = forward::block(*in_cache, h * config_.head_width, config_.head_width);
    Range sink{0, 0};
    if (layer.sinks != nullptr) sink = forward::fitting(element(*layer.sinks, h, p_), p_);
    std::vector<Balls> outputs;
    for (std::size_t i = 0; i < length(); ++i) {
      std::vector<Range> logits;
      std::vector<std::size_t> seen;
      for (std::size_t k = 0; k < length(); ++k) {
        if (!sees(h, i, k)) continue;
        const bool first = cached && k < intervention_.eviction->first;
        const forward::Block& queries = first ? *cached : rows.queries;
        logits.push_back(forward::fitting(forward::logit(queries, i, rows.keys, k, 1, p_), p_));
        seen.push_back(k);
      }
      weights.push_back(row_of(logits, seen, sink));
      outputs.push_back(fitting(forward::combination(weights.back(), rows.values, p_)));
    }
    return outputs;
  }

  // The weights of all keys; without a null slot's.
  [[nodiscard]] std::vector<Range> row_of(const std::vector<Range>& logits,
                                          const std::vector<std::size_t>& seen,
                                          const Range& sink) const {
    std::vector<Range> row(length(), Range{0, 0});
    if (seen.empty()) return row;  // nothing is put out
    const certificate::AttentionKind& kind = config_.kind();
    const std::vector<Range> weights = kind.normalised
                                           ? forward::weights_of(kind, logits, sink, p_).keys
                                           : forward::kernels_of(kind, logits, 0, p_);
    for (std::size_t n = 0; n < seen.size(); ++n) row[seen[n]] = weights[n];
    return row;
  }

  const Model& model_;
  const Config& config_;
  const Architecture& table_;
  const TokenIds& tokens_;
  const Intervention& intervention_;
  unsigned p_;
  const Observer& observer_;
  const ForEach& each_;
  Constants constants_;
  std::vector<Angles> angles_;  // by position, where they are rotary
  Range scale_{0, 0};
  std::size_t layer_ = 0;
  Balls state_;
};

exact::Result<void> refuse(const std::string& what) {
  return exact::fail("SP2006", "tokens", what);
}

}  // namespace

exact::Result<void> check_request(const Model& model, const TokenIds& tokens,
                                  const Intervention& intervention) {
  const Config& config = model.config;
  if (tokens.empty()) return refuse("there must be at least one");
  for (const std::uint32_t id : tokens) {
    if (id >= model.vocabulary()) {
      return refuse("id " + std::to_string(id) + " is beyond the vocabulary of " +
                    std::to_string(model.vocabulary()));
    }
  }
  const std::size_t most = std::min(kMostPositions, model.positions().value_or(kMostPositions));
  if (tokens.size() > most) {
    return refuse("a sequence of " + std::to_string(tokens.size()) +
                  " is longer than the positions there are, " + std::to_string(most));
  }
  if (config.architecture->bidirectional && (intervention.eviction || intervention.ablated)) {
    return refuse("an encoder has no cache to evict from, and no first key to do without");
  }
  if (intervention.eviction && intervention.eviction->window == 0) {
    return refuse("the window of an eviction holds at least the query itself");
  }
  if (intervention.ablated && (intervention.ablated->first >= config.layers ||
                               intervention.ablated->second >= config.heads)) {
    return refuse("there is no such layer and head to do without their first key");
  }
  return {};
}

std::optional<Balls> pass(const Model& model, const TokenIds& tokens,
                          const Intervention& intervention, unsigned p, const Observer& observer,
                          const ForEach& each) try {
  return Pass(model, tokens, intervention, p, observer, each).run();
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

std::uint64_t pass_words(const Model& model, std::size_t tokens, unsigned p, bool kept) {
  const Config& config = model.config;
  std::uint64_t widest = std::max(config.width, config.heads * config.head_width);
  for (const Layer& layer : model.layers) {
    if (layer.mlp_in) widest = std::max<std::uint64_t>(widest, layer.mlp_in->out);
  }
  // A number is its words, four more for where they are, and of its kind there are some ten.
  const std::uint64_t layers = kept ? config.layers + 1 : 0;
  return tokens * (p / 64 + 4) * (10 * widest + 2 * tokens + layers * config.width);
}

}  // namespace sinkproof::language
