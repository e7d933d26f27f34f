// What forms do in a language model's pass: the Numbers of forward/body.hpp for all sequences of a
// product of sets at once. FORM_RULES.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "certificate/language.hpp"
#include "forward/weights.hpp"
#include "language/forms.hpp"
#include "language/model_balls.hpp"

namespace sinkproof::language {

// In place of a token: one of the ids that a symbol chooses from.
struct Choice {
  std::size_t symbol = 0;
};

// One sequence, of as many positions as the constructor is told; from row `first` on where that is
// not 0. Throws TooCoarse as ModelBalls.
class ModelForms {
 public:
  using Rows = Forms;
  using Part = Forms;
  using Layer = language::Layer;
  using RowWeights = forward::Weights;
  using Weights = std::vector<std::vector<forward::Range>>;
  using Outputs = Forms;
  static constexpr bool kAttentionOnly = false;

  // By symbol its ids.
  ModelForms(const Config& config, std::size_t positions,
             const std::vector<certificate::TokenIds>& choices, unsigned p);

  forward::Shape enter(std::size_t layer) const { return balls_.enter(layer); }
  void each(std::size_t count, const std::function<void(std::size_t)>& work) const {
    forward::in_turn(count, work);
  }
  void clear(Rows& rows, std::size_t count, std::size_t columns) const {
    rows.assign(count, Form(columns));
  }
  void fit(Rows& rows) const;
  void add_row(const safetensors::View& table, const Choice& choice, Rows& x, std::size_t to,
               const char* name) const;
  void add_row(const safetensors::View& table, std::size_t row, Rows& x, std::size_t to,
               const char* name) const;
  void map(const Map& map, const Rows& x, std::size_t first, Rows& y, const char* name) const;
  void add_mapped(const Map& map, const Rows& x, std::size_t first, Rows& y,
                  const char* name) const;
  void normalise(const NormWeights& weights, const Rows& x, std::size_t width, Rows& y,
                 const char* name);
  void activate(Rows& x);
  void keep(Rows& x, std::size_t first) const;
  void multiply(Rows& x, const Rows& by) const;
  void scale(Rows& queries) const;
  void turn(Rows& x, std::size_t row, std::size_t position) const;
  [[nodiscard]] Part part(const Rows& rows, std::size_t begin, std::size_t length,
                          std::size_t column, std::size_t width) const;
  [[nodiscard]] forward::Range sink(const Layer& layer, std::size_t head) const {
    return balls_.sink(layer, head);
  }

  template <typename Head>
  void begin(Head& rows, std::size_t, const std::optional<Part>&) const {
    rows.outputs.assign(rows.queries.size(), Form(rows.values.front().columns()));
  }

  template <typename Head>
  [[nodiscard]] RowWeights weigh(const Head& rows, std::size_t i,
                                 const std::vector<std::size_t>& seen, std::size_t,
                                 const std::optional<Part>&, const forward::Range& sink) const {
    return {weights(rows.queries[i], rows.keys, seen, sink), {}};
  }

  template <typename Head>
  void mix(Head& rows, std::size_t i, const RowWeights& weights) {
    rows.outputs[i] = combined(weights.keys, rows.values);
    rows.weights.push_back(weights.keys);
  }

  template <typename Head>
  void finish(const Head&, const forward::Sequence&, const Rows&) const {}

  // As BallRows::place.
  template <typename Head>
  void place(const Head& rows, const forward::Sequence&, const Rows* gates, Rows& mixed) {
    for (std::size_t i = 0; i < rows.outputs.size(); ++i) {
      Form row = rows.outputs[i];
      if (gates != nullptr) row = gated(std::move(row), entry_of((*gates)[i], rows.head));
      put(mixed[i], rows.head * row.columns(), row);
    }
  }

 private:
  [[nodiscard]] std::vector<forward::Range> weights(const Form& query, const Forms& keys,
                                                    const std::vector<std::size_t>& seen,
                                                    const forward::Range& sink) const;
  [[nodiscard]] Form combined(const std::vector<forward::Range>& weights, const Forms& values);
  [[nodiscard]] Form gated(Form row, const forward::Range& gate);
  [[nodiscard]] Form normalised_part(const NormWeights& weights, const Form& x);
  [[nodiscard]] Form activated_row(const Form& x);

  const Config& config_;
  const std::vector<certificate::TokenIds>& choices_;
  unsigned p_;
  ModelBalls balls_;
  Constants constants_;
  exact::Integer small_;  // what moves less becomes part of a centre
  std::size_t next_ = 0;  // symbol of the next number, from kFirstNumber
};

}  // namespace sinkproof::language
