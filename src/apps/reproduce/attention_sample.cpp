#include "reproduce/attention_sample.hpp"

#include <cmath>
#include <limits>

#include "forward/pass.hpp"
#include "measure/side_by_side.hpp"
#include "model/forward_model.hpp"
#include "rounded/double.hpp"
#include "train/task.hpp"

namespace sinkproof::reproduce {
namespace {

// All weights of one sequence: layer after layer, head after head, row after row.
using Weights = std::vector<double>;

// Where the weights of a head begin, and of how many there are.
struct Places {
  std::size_t heads;
  std::size_t length;

  [[nodiscard]] std::size_t of_head() const { return length * (length + 1) / 2; }
  [[nodiscard]] std::size_t begin(std::size_t layer, std::size_t head) const {
    return (layer * heads + head) * of_head();
  }
  [[nodiscard]] static std::size_t row(std::size_t row) { return row * (row - 1) / 2; }
};

// The noise does not depend on where the trigger stands, so that moving the flag is drawing with a
// trigger there.
exact::RationalMatrix sequence(const model::AttentionModel& model, const Draw& draw,
                               std::size_t index) {
  train::Shape shape;
  shape.d_model = model.d_model;
  shape.length = model.length;
  const train::Sample drawn =
      train::draw_sample(shape, {draw.seed, std::numeric_limits<std::uint64_t>::max()},
                         static_cast<std::uint32_t>(index));
  exact::RationalMatrix tokens(model.length, model.d_model);
  for (std::size_t i = 0; i < model.length; ++i) {
    for (std::size_t c = 0; c < model.d_model; ++c) {
      tokens(i, c) = rounded::from_double(drawn.tokens[i * model.d_model + c]);
    }
  }
  std::swap(tokens(drawn.trigger - 1, 1), tokens(draw.trigger - 1, 1));
  std::swap(tokens(drawn.trigger - 1, model.d_model - 1),
            tokens(draw.trigger - 1, model.d_model - 1));
  return tokens;
}

// Empty when no precision follows the sequence.
Weights weights_on(const forward::Prepared& prepared, const exact::RationalMatrix& tokens) {
  const forward::Model& model = prepared.model();
  const Places places{model.blocks.front().heads, tokens.rows()};
  for (const unsigned p : forward::kPrecisions) {
    Weights weights(places.begin(model.blocks.size(), 0));
    const exact::Integer two_units = exact::Integer(1) << (p + 1);
    const auto keep = [&](std::size_t layer, std::size_t head, std::size_t row,
                          const forward::Weights& given) {
      const std::size_t begin = places.begin(layer, head) + Places::row(row);
      for (std::size_t k = 0; k < row; ++k) {
        weights[begin + k] = rounded::to_double_estimate(
            exact::make_rational(given.keys[k].lower + given.keys[k].upper, two_units));
      }
    };
    if (forward::pass(prepared, tokens, 1, p, keep)) return weights;
  }
  return {};
}

// Of value(sequence) over all sequences; summed from the first on, so that what is the same on all
// has deviation 0.
template <typename Value>
Moments moments(std::size_t sequences, const Value& value) {
  const auto count = static_cast<double>(sequences);
  const double first = value(0);
  Moments result{first, 0};
  for (std::size_t s = 0; s < sequences; ++s) result.mean += (value(s) - first) / count;
  for (std::size_t s = 0; s < sequences; ++s) {
    result.deviation += std::pow(value(s) - result.mean, 2) / count;
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

HeadSample head_sample(const std::vector<Weights>& all, std::size_t begin, std::size_t length,
                       std::size_t trigger) {
  HeadSample head;
  for (std::size_t row = 1; row <= length; ++row) {
    std::vector<double>& mean = head.mean.emplace_back();
    std::vector<double>& deviation = head.deviation.emplace_back();
    std::vector<double>& first = head.first.emplace_back();
    for (std::size_t key = 0; key < row; ++key) {
      const std::size_t place = begin + Places::row(row) + key;
      const Moments weight = moments(all.size(), [&](std::size_t s) { return all[s][place]; });
      mean.push_back(weight.mean);
      deviation.push_back(weight.deviation);
      first.push_back(all.front()[place]);
    }
  }
  const auto on_bos = [&](std::size_t from, std::size_t to) {  // rows, from 1
    return moments(all.size(), [&](std::size_t s) {
      double sum = 0;
      for (std::size_t row = from; row <= to; ++row) sum += all[s][begin + Places::row(row)];
      return to < from ? 0 : sum / static_cast<double>(to - from + 1);
    });
  };
  head.bos = {on_bos(2, trigger - 1), on_bos(trigger, trigger), on_bos(trigger + 1, length)};
  head.alpha = on_bos(1, length);
  return head;
}

}  // namespace

exact::Result<AttentionSample> sample_attention(const model::AttentionModel& model,
                                                const Draw& draw, unsigned jobs,
                                                const std::function<void(std::size_t)>& finished) {
  const forward::Model exact_model = model::forward_model(model);
  const forward::Prepared prepared(exact_model);
  std::vector<Weights> all(draw.sequences);
  measure::side_by_side(
      draw.sequences, jobs,
      [&](std::size_t s) { all[s] = weights_on(prepared, sequence(model, draw, s)); }, finished);
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (all[s].empty()) {
      return exact::fail("SP1511", "sequence " + std::to_string(s),
                         "a value of the forward pass goes beyond 2^2048");
    }
  }
  AttentionSample sample{draw, model.sha256, {}};
  const Places places{model.num_heads, model.length};
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    std::vector<HeadSample>& layer = sample.heads.emplace_back();
    for (std::size_t h = 0; h < model.num_heads; ++h) {
      layer.push_back(head_sample(all, places.begin(l, h), model.length, draw.trigger));
    }
  }
  return sample;
}

}  // namespace sinkproof::reproduce
