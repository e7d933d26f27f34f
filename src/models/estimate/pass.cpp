#include "estimate/pass.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "estimate/activation.hpp"
#include "estimate/attention_weights.hpp"
#include "estimate/dense.hpp"
#include "estimate/normalise.hpp"
#include "estimate/rotary.hpp"
#include "estimate/widen.hpp"

namespace sinkproof::estimate {
namespace {

using exact::Error;
using language::Layer;
using language::Map;
using language::Model;
using language::NormWeights;

// Sums of squares of such values are doubles.
constexpr double kMostValue = 1e150;

class Pass {
 public:
  Pass(const Model& model, std::span<const Run> runs, const Observer& observer)
      : model_(model), config_(model.config), runs_(runs), observer_(observer) {
    std::size_t rows = 0;
    std::size_t longest = 0;
    for (const Run& run : runs) {
      starts_.push_back(rows);
      rows += run.tokens.size();
      longest = std::max(longest, run.tokens.size());
    }
    x_.resize(rows, config_.width);
    if (config_.rotary) table_ = rotary_table(*config_.rotary, longest);
  }

  void run() {
    embed();
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      check("the input of layer " + std::to_string(l), x_.view());
      if (observer_.hidden) observer_.hidden(l, x_.view());
      layer(l);
      report(l + 1);
    }
    check("the last layer's output", x_.view());
    if (observer_.hidden) observer_.hidden(model_.layers.size(), x_.view());
    if (model_.head && observer_.logits) logits();
    report(model_.layers.size() + 1);
  }

 private:
  void report(std::size_t done) const {
    const auto all = static_cast<double>(model_.layers.size() + 1);
    if (observer_.progress) observer_.progress(static_cast<double>(done) / all);
  }

  static void check(const std::string& what, const Rows& rows) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t c = 0; c < rows.columns; ++c) {
        if (!(std::abs(rows.row(i)[c]) <= kMostValue)) {
          throw Error{"SP2105", what,
                      "row " + std::to_string(i) + " has a value beyond 1e150, or none"};
        }
      }
    }
  }

  static void finite(bool is_finite, const std::string& where) {
    if (!is_finite)
      throw Error{"SP0405", where,
                  "a weight is NaN or infinite, and so would every figure be; expected finite "
                  "weights: take a "
                  "checkpoint from before the training diverged, or save it again"};
  }

  void apply_map(const Map& map, const Rows& x, Matrix& y, const char* name, bool add = false) {
    finite(apply(map, x, add, y, panel_), at_ + name);
  }

  void norm(const std::optional<NormWeights>& weights, const Rows& x, std::size_t group, Matrix& y,
            const char* name) {
    const auto& table = *config_.architecture;
    finite(normalise(table.norm, config_.epsilon, *weights, x, group, y), at_ + name);
  }

  // Adds row `number` of the table to a row of x.
  void add_row(const safetensors::View& table, std::size_t number, Matrix& to, std::size_t row,
               const char* name) {
    const std::size_t n = to.columns;
    row_.resize(n);
    finite(widen(table, number * n, n, row_.data()), name);
    cblas_daxpy(static_cast<blasint>(n), 1, row_.data(), 1, to.row(row), 1);
  }

  void embed() {
    Matrix tokens;
    tokens.resize(x_.rows, config_.token_width);
    std::fill(tokens.values.begin(), tokens.values.end(), 0);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      for (std::size_t i = 0; i < runs_[r].tokens.size(); ++i) {
        add_row(*model_.token, runs_[r].tokens[i], tokens, starts_[r] + i, "token embeddings");
      }
    }
    if (model_.project_in) {
      apply_map(*model_.project_in, tokens.view(), x_, "projection of token embeddings");
    } else {
      x_ = std::move(tokens);
    }
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      for (std::size_t i = 0; i < runs_[r].tokens.size(); ++i) {
        const std::size_t to = starts_[r] + i;
        if (model_.position != nullptr) {
          add_row(*model_.position, position(runs_[r], i) + config_.architecture->position_offset,
                  x_, to, "learned positions");
        }
        if (model_.token_type != nullptr) add_row(*model_.token_type, 0, x_, to, "token types");
      }
    }
    if (model_.embedding_norm) {
      norm(model_.embedding_norm, x_.view(), config_.width, x_, "embedding norm");
    }
  }

  // Where query i of the run stands, from 0.
  static std::size_t position(const Run& run, std::size_t i) {
    const auto& eviction = run.taken.eviction;
    if (!eviction || !eviction->renumbered) return i;
    return std::min(i, eviction->first + eviction->window - 1);
  }

  void layer(std::size_t l) {
    const Layer& layer = model_.layers[l];
    at_ = "layer " + std::to_string(l) + ", ";
    if (config_.norm_after) {
      attention(l, x_.view());
      norm(layer.attention_norm, x_.view(), config_.width, x_, "attention norm");
      if (layer.mlp_in) mlp(layer, x_.view());
      if (layer.mlp_in) norm(layer.mlp_norm, x_.view(), config_.width, x_, "MLP norm");
      return;
    }
    const bool parallel = config_.parallel && layer.mlp_in;
    norm(layer.attention_norm, x_.view(), config_.width, normal_, "attention norm");
    if (parallel) norm(layer.mlp_norm, x_.view(), config_.width, beside_, "MLP norm");
    attention(l, normal_.view());
    if (!layer.mlp_in) return;
    if (!parallel) norm(layer.mlp_norm, x_.view(), config_.width, normal_, "MLP norm");
    mlp(layer, parallel ? beside_.view() : normal_.view());
  }

  // x += MLP(in).
  void mlp(const Layer& layer, const Rows& in) {
    apply_map(*layer.mlp_in, in, inner_, "MLP in");
    if (layer.mlp_gate) apply_map(*layer.mlp_gate, in, gate_, "MLP gate");
    activate(config_.activation, layer.mlp_gate ? gate_ : inner_);
    if (layer.mlp_gate) {
      for (std::size_t e = 0; e < inner_.values.size(); ++e) inner_.values[e] *= gate_.values[e];
    }
    apply_map(*layer.mlp_out, inner_.view(), x_, "MLP out", true);
  }

  // x += attention of `in`.
  void attention(std::size_t l, const Rows& in) {
    const Layer& layer = model_.layers[l];
    apply_map(layer.query, in, queries_, "query");
    apply_map(layer.key, in, keys_, "key");
    apply_map(layer.value, in, values_, "value");
    const std::size_t width = config_.head_width;
    if (layer.query_norm) norm(layer.query_norm, queries_.view(), width, queries_, "query norm");
    if (layer.key_norm) norm(layer.key_norm, keys_.view(), width, keys_, "key norm");
    if (layer.gate) apply_map(*layer.gate, in, gates_, "gate");
    sinks_.assign(config_.heads, 0);
    if (layer.sinks != nullptr) {
      finite(widen(*layer.sinks, 0, config_.heads, sinks_.data()), at_ + "sinks");
    }
    outputs_.resize(in.rows, config_.heads * width);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      place(runs_[r], starts_[r]);
      for (std::size_t h = 0; h < config_.heads; ++h) head(r, l, h);
    }
    apply_map(layer.output, outputs_.view(), x_, "attention output", true);
  }

  // Turns a run's queries and keys by their positions; `cached_` are the queries of an eviction
  // that renumbers at their places within the cache.
  void place(const Run& run, std::size_t start) {
    if (!config_.rotary) return;
    const std::size_t length = run.tokens.size();
    const bool renumbered = run.taken.eviction && run.taken.eviction->renumbered;
    if (renumbered) cached_.resize(length, queries_.columns);
    for (std::size_t i = 0; i < length; ++i) {
      if (renumbered) {
        std::copy_n(queries_.row(start + i), queries_.columns, cached_.row(i));
        rotate(table_, position(run, i), config_.heads, config_.head_width, cached_.row(i));
      }
      rotate(table_, i, config_.heads, config_.head_width, queries_.row(start + i));
      rotate(table_, i, config_.key_heads, config_.head_width, keys_.row(start + i));
    }
  }

  // Rows of run r in the columns of head h.
  [[nodiscard]] Rows part(const Matrix& all, std::size_t r, std::size_t h) const {
    const std::size_t width = config_.head_width;
    return {all.row(starts_[r]) + h * width, runs_[r].tokens.size(), width, all.columns};
  }

  // scale q_i . k_j of all these queries and keys.
  void multiply(const Rows& queries, const Rows& keys, double* to, std::size_t stride) const {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(queries.rows),
                static_cast<blasint>(keys.rows), static_cast<blasint>(queries.columns),
                1 / std::sqrt(static_cast<double>(config_.head_width)), queries.data,
                static_cast<blasint>(queries.stride), keys.data, static_cast<blasint>(keys.stride),
                0, to, static_cast<blasint>(stride));
  }

  // The logits of a head's queries on the keys that an eviction keeps from the start, where that
  // renumbers queries.
  void renumber(const Run& run, std::size_t h, const Rows& keys) {
    const auto& eviction = run.taken.eviction;
    if (!config_.rotary || !eviction || !eviction->renumbered) return;
    const std::size_t full = eviction->first + eviction->window;
    if (eviction->first == 0 || run.tokens.size() <= full) return;
    const std::size_t width = config_.head_width;
    const Rows all{cached_.row(0) + h * width, cached_.rows, width, cached_.columns};
    multiply(all.from(full, all.rows - full), keys.from(0, eviction->first), weights_.row(full),
             weights_.columns);
  }

  void head(std::size_t r, std::size_t l, std::size_t h) {
    const Run& run = runs_[r];
    const std::size_t length = run.tokens.size();
    const std::size_t key_head = h / (config_.heads / config_.key_heads);
    const Rows queries = part(queries_, r, h);
    const Rows keys = part(keys_, r, key_head);
    const Rows values = part(values_, r, key_head);
    weights_.resize(length, length);
    multiply(queries, keys, weights_.row(0), length);
    renumber(run, h, keys);
    const Sight sight{config_.architecture->bidirectional, config_.windows[l], run.taken.eviction,
                      run.taken.ablated == std::pair(l, h)};
    for (std::size_t i = 0; i < length; ++i) {
      weigh(config_.kind(), sight, i, sinks_[h], length, weights_.row(i));
    }
    const Rows outputs = part(outputs_, r, h);
    mix(values, outputs_.row(starts_[r]) + h * config_.head_width);
    if (observer_.head) {
      observer_.head({r, l, h, weights_.view(), queries, keys, values, outputs});
    }
    if (config_.kind().gated) gate(r, h);
  }

  // weights * values to these rows of outputs_.
  void mix(const Rows& values, double* to) const {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(values.rows),
                static_cast<blasint>(values.columns), static_cast<blasint>(values.rows), 1,
                weights_.row(0), static_cast<blasint>(weights_.columns), values.data,
                static_cast<blasint>(values.stride), 0, to, static_cast<blasint>(outputs_.columns));
  }

  void gate(std::size_t r, std::size_t h) {
    const std::size_t width = config_.head_width;
    for (std::size_t i = starts_[r]; i < starts_[r] + runs_[r].tokens.size(); ++i) {
      cblas_dscal(static_cast<blasint>(width), logistic(gates_.row(i)[h]),
                  outputs_.row(i) + h * width, 1);
    }
  }

  void logits() {
    at_.clear();
    if (model_.final_norm) {
      norm(model_.final_norm, x_.view(), config_.width, normal_, "final norm");
    } else {
      normal_ = x_;
    }
    if (model_.project_out) {
      apply_map(*model_.project_out, normal_.view(), beside_, "projection of the output");
      std::swap(normal_, beside_);
    }
    const auto visit = [&](std::size_t first, const Rows& some) {
      check("logits from entry " + std::to_string(first), some);
      observer_.logits(first, some);
    };
    finite(apply_by_panels(*model_.head, normal_.view(), panel_, visit), "output head");
  }

  const Model& model_;
  const language::Config& config_;
  std::span<const Run> runs_;
  const Observer& observer_;
  std::vector<std::size_t> starts_;
  RotaryTable table_;
  std::string at_;  // where an error is, but for its last word
  Matrix x_, normal_, beside_, queries_, keys_, values_, gates_, cached_, weights_, outputs_;
  Matrix inner_, gate_;
  std::vector<double> sinks_, row_;
  Panel panel_;
};

}  // namespace

exact::Result<void> pass(const Model& model, std::span<const Run> runs, const Observer& observer,
                         unsigned threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  try {
    Pass(model, runs, observer).run();
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
  return {};
}

}  // namespace sinkproof::estimate
