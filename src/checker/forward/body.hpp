// THE forward pass: what the layers of a model make of rows, over any numbers. Balls enclose, for
// the checker (forward/pass.hpp: given rows through attention alone; language/pass.hpp: language
// models); doubles estimate, outside the trusted base. CHECKPOINT_RULES.md, 4.6;
// LANGUAGE_RULES.md, 5.3.
//
// `Numbers` says what rows, maps and weights are and computes with them; its functions stand where
// they are called below. Those that write rows make rows `first` .., and 0 of the others.
//   Rows, Part        rows of all sequences, and of a head's columns those of one
//   Layer             its maps, and unless kAttentionOnly its norms and its MLP
//   (language/model.hpp) RowWeights        a row's weights: `keys` and, of a null slot, `null`
//   Weights, Outputs  all rows' weights of a head, and what they put out, before a gate
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "certificate/intervention.hpp"

namespace sinkproof::forward {

// What a layer is beside its maps and norms.
struct Shape {
  std::size_t width = 1;  // of its rows
  std::size_t heads = 1;
  std::size_t key_heads = 1;  // divides the heads
  std::size_t head_width = 1;
  bool residual = true;     // a layer's input is added to what attention puts out
  bool norm_after = false;  // x = norm(x + f(x)); else x = x + f(norm(x))
  bool parallel = false;    // attention and MLP of one x
  bool bidirectional = false;
  bool rotary = false;
  std::optional<std::size_t> window = {};  // none: all earlier keys
};

// Rows begin .. begin + length - 1 are one sequence, in whose heads something may be taken away.
struct Sequence {
  std::size_t begin = 0;
  std::size_t length = 0;
  certificate::Intervention taken = {};

  [[nodiscard]] bool renumbers() const { return taken.eviction && taken.eviction->renumbered; }
  // Where token i stands, from 0.
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return renumbers() ? std::min(i, taken.eviction->first + taken.eviction->window - 1) : i;
  }
};

// What one head did in one sequence; all from 0.
template <typename Numbers>
struct HeadRows {
  std::size_t run = 0;
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t key_head = 0;
  typename Numbers::Part queries;  // times the scale of logits where Numbers have it here; turned
  typename Numbers::Part keys;     // turned
  typename Numbers::Part values;
  typename Numbers::Weights weights = {};  // [query][key]; 0 where it sees none
  typename Numbers::Outputs outputs = {};  // a row for each query, before the gate
};

// Each may be empty. Heads of a layer come in any order, one at a time.
template <typename Numbers>
struct Observer {
  // The inputs of each layer, and what the last one puts out (layer = their number).
  std::function<void(std::size_t layer, const typename Numbers::Rows& rows)> hidden = {};
  std::function<void(std::size_t layer, std::size_t head, std::size_t row,
                     const typename Numbers::RowWeights& weights)>
      row = {};
  std::function<void(const HeadRows<Numbers>& rows)> head = {};
};

template <typename Numbers>
class Body {
 public:
  using Rows = typename Numbers::Rows;
  using Layer = typename Numbers::Layer;

  // All of them outlive it.
  Body(Numbers& numbers, std::span<const Layer> layers, std::span<const Sequence> sequences,
       const Observer<Numbers>& observer)
      : n_(numbers), layers_(layers), sequences_(sequences), observer_(observer) {}

  // Rows become what the last layer makes of them: of attention alone those from `first` on, the
  // others 0; else rows `first` .. of each sequence, without the others.
  void run(Rows& x, std::size_t first = 0) {
    for (number_ = 0; number_ < layers_.size(); ++number_) {
      shape_ = n_.enter(number_);
      if (observer_.hidden) observer_.hidden(number_, x);
      first_ = number_ + 1 == layers_.size() ? first : 0;
      step(layers_[number_], x);
    }
    if (observer_.hidden) observer_.hidden(layers_.size(), x);
  }

 private:
  void step(const Layer& layer, Rows& x) {
    if constexpr (Numbers::kAttentionOnly) {
      attend(layer, x, x);
    } else if (shape_.norm_after) {
      attend(layer, x, x);
      keep(x);
      norm(layer.attention_norm, x, x, "attention norm");
      if (!layer.mlp_in) return;
      mlp(layer, x, x);
      norm(layer.mlp_norm, x, x, "MLP norm");
    } else {
      norm(layer.attention_norm, x, normal_, "attention norm");
      const bool parallel = shape_.parallel && layer.mlp_in;
      if (parallel) norm(layer.mlp_norm, x, beside_, "MLP norm");
      attend(layer, normal_, x);
      keep(x);
      if (parallel) keep(beside_);
      if (!layer.mlp_in) return;
      if (!parallel) norm(layer.mlp_norm, x, beside_, "MLP norm");
      mlp(layer, beside_, x);
    }
  }

  void keep(Rows& x) {
    if (first_ > 0) n_.keep(x, first_);
  }

  template <typename Norm>
  void norm(const Norm& weights, const Rows& x, Rows& y, const char* name) {
    n_.normalise(weights, x, shape_.width, y, name);
  }

  // x += MLP(in).
  void mlp(const Layer& layer, const Rows& in, Rows& x) {
    n_.map(*layer.mlp_in, in, 0, inner_, "MLP in");
    if (layer.mlp_gate) n_.map(*layer.mlp_gate, in, 0, gates_, "MLP gate");
    n_.activate(layer.mlp_gate ? gates_ : inner_);
    if (layer.mlp_gate) n_.multiply(inner_, gates_);
    n_.add_mapped(*layer.mlp_out, inner_, 0, x, "MLP out");
  }

  // x += attention of `in`, or becomes it.
  void attend(const Layer& layer, const Rows& in, Rows& x) {
    n_.map(layer.query, in, first_, queries_, "query");
    n_.map(layer.key, in, 0, keys_, "key");
    n_.map(layer.value, in, 0, values_, "value");
    if (layer.gate) n_.map(*layer.gate, in, first_, gates_, "gate");
    if constexpr (!Numbers::kAttentionOnly) prepare(layer);
    const std::size_t rows = sequences_.back().begin + sequences_.back().length;
    n_.clear(mixed_, rows, shape_.heads * shape_.head_width);
    for (std::size_t r = 0; r < sequences_.size(); ++r) {
      n_.each(shape_.heads, [&](std::size_t h) { head(layer, r, h); });
    }
    if (shape_.residual) {
      n_.add_mapped(layer.output, mixed_, first_, x, "attention output");
    } else {
      n_.map(layer.output, mixed_, first_, x, "attention output");
    }
  }

  // Queries and keys normalised, scaled and turned by their positions; `cached_` are the queries at
  // their places in a cache that renumbers.
  void prepare(const Layer& layer) {
    const std::size_t width = shape_.head_width;
    if (layer.query_norm) n_.normalise(*layer.query_norm, queries_, width, queries_, "query norm");
    if (layer.key_norm) n_.normalise(*layer.key_norm, keys_, width, keys_, "key norm");
    n_.scale(queries_);
    if (!shape_.rotary) return;
    if (std::any_of(sequences_.begin(), sequences_.end(),
                    [](const Sequence& one) { return one.renumbers(); })) {
      cached_ = queries_;
    }
    for (const Sequence& one : sequences_) {
      for (std::size_t i = 0; i < one.length; ++i) {
        n_.turn(queries_, one.begin + i, i);
        n_.turn(keys_, one.begin + i, i);
        if (one.renumbers()) n_.turn(cached_, one.begin + i, one.place(i));
      }
    }
    n_.fit(queries_);
    n_.fit(keys_);
  }

  // Whether query i of this head sees key k, all from 0.
  [[nodiscard]] bool sees(const Sequence& one, std::size_t head, std::size_t i,
                          std::size_t k) const {
    if (k > i) return shape_.bidirectional;
    if (shape_.window && i - k >= *shape_.window) return false;
    const auto& eviction = one.taken.eviction;
    if (eviction && k >= eviction->first && i - k >= eviction->window) return false;
    return !(k == 0 && i > 0 && one.taken.ablates(number_, head));
  }

  [[nodiscard]] typename Numbers::Part part(const Rows& rows, const Sequence& one,
                                            std::size_t head) const {
    return n_.part(rows, one.begin, one.length, head * shape_.head_width, shape_.head_width);
  }

  void head(const Layer& layer, std::size_t r, std::size_t h) {
    const Sequence& one = sequences_[r];
    const std::size_t g = h / (shape_.heads / shape_.key_heads);
    HeadRows<Numbers> rows{
        r,  number_, h, g, part(queries_, one, h), part(keys_, one, g), part(values_, one, g),
        {}, {}};
    // Keys before `kept` are seen by queries at their places in the cache.
    std::size_t kept = 0;
    std::optional<typename Numbers::Part> cached;
    if (shape_.rotary && one.renumbers()) {
      kept = one.taken.eviction->first;
      cached = part(cached_, one, h);
    }
    n_.begin(rows, kept, cached);
    const auto sink = n_.sink(layer, h);
    std::vector<std::size_t> seen;
    for (std::size_t i = first_; i < one.length; ++i) {
      seen.clear();
      for (std::size_t k = 0; k < one.length; ++k) {
        if (sees(one, h, i, k)) seen.push_back(k);
      }
      typename Numbers::RowWeights weights = n_.weigh(rows, i, seen, kept, cached, sink);
      if (observer_.row) observer_.row(number_, h, i, weights);
      n_.mix(rows, i, weights);
    }
    n_.finish(rows, one, mixed_);
    const std::lock_guard lock(mutex_);
    if (observer_.head) observer_.head(rows);
    n_.place(rows, one, layer.gate ? &gates_ : nullptr, mixed_);
  }

  Numbers& n_;
  std::span<const Layer> layers_;
  std::span<const Sequence> sequences_;
  const Observer<Numbers>& observer_;
  Shape shape_;
  std::size_t number_ = 0;  // of the layer
  std::size_t first_ = 0;   // row of it that is wanted
  Rows normal_, beside_, queries_, keys_, values_, gates_, cached_, mixed_, inner_;
  std::mutex mutex_;
};

}  // namespace sinkproof::forward
