#include "measure/sink_share.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "measure/attention_weights.hpp"
#include "measure/ball_matrix.hpp"

namespace sinkproof::measure {
namespace {

using exact::Enclosure;
using exact::fail;
using exact::Integer;
using exact::Rational;
using exact::Result;

struct LayerMaps {
  BallMap query;
  BallMap key;
  BallMap value;
  BallMap output;
  BallMap gate;
};

// A model at one precision: all samples share it.
struct PreparedModel {
  const model::AttentionModel* model = nullptr;
  unsigned bits = 0;
  std::vector<LayerMaps> layers;
};

PreparedModel prepare(const model::AttentionModel& model, unsigned bits) {
  PreparedModel prepared{&model, bits, {}};
  for (const model::Layer& layer : model.layers) {
    prepared.layers.push_back({ball_map(layer.query, layer.query_bias, bits),
                               ball_map(layer.key, layer.key_bias, bits),
                               ball_map(layer.value, layer.value_bias, bits),
                               ball_map(layer.output, layer.output_bias, bits),
                               ball_map(layer.gate, layer.gate_bias, bits)});
  }
  return prepared;
}

// |value| < 2^size, value in units of 2^-bits.
bool below(const Integer& value, unsigned size, unsigned bits) {
  return value == 0 || boost::multiprecision::msb(abs(value)) < size + bits;
}

std::string layer_text(std::size_t layer) { return "layer " + std::to_string(layer); }

tl::unexpected<exact::Error> too_large(std::size_t layer, const std::string& what) {
  return fail("SP1511", layer_text(layer),
              "its " + what + " go beyond 2^" + std::to_string(kMaxSizeBits) +
                  "; scale the weights or the tokens down");
}

tl::unexpected<exact::Error> too_vague(std::size_t layer, const std::string& what, unsigned bits) {
  return fail("SP1512", layer_text(layer),
              "at " + std::to_string(bits) + " bits its " + what + " are not enclosed within 2^" +
                  std::to_string(kMaxSizeBits) + ": what comes before is known too poorly");
}

// SP1512: a radius has left the range, which more bits may cure. SP1511: a value has.
Result<void> within_range(const BallMatrix& matrix, unsigned bits, std::size_t layer,
                          const std::string& what) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    if (!below(matrix.radius[i], kMaxSizeBits, bits)) return too_vague(layer, what, bits);
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      if (!below(matrix.centre(i, j), kMaxSizeBits + 1, bits)) return too_large(layer, what);
    }
  }
  return {};
}

Result<void> within_range(const Bounds& logit, unsigned bits, std::size_t layer) {
  if (!below(logit.upper - logit.lower, kMaxSizeBits, bits)) {
    return too_vague(layer, "logits", bits);
  }
  const bool fits =
      below(logit.lower, kMaxSizeBits + 1, bits) && below(logit.upper, kMaxSizeBits + 1, bits);
  if (!fits) return too_large(layer, "logits");
  return {};
}

tl::unexpected<exact::Error> vague_row(std::size_t layer, std::size_t head, std::size_t row,
                                       unsigned bits) {
  return fail(
      "SP1512",
      layer_text(layer) + " head " + std::to_string(head) + " row " + std::to_string(row + 1),
      "at " + std::to_string(bits) +
          " bits the sum of the row's kernels is not enclosed between two positive numbers: "
          "its logits are too large, or known too poorly");
}

// One sequence on its way through the stack.
class ForwardPass {
 public:
  ForwardPass(const PreparedModel& prepared, const exact::RationalMatrix& tokens,
              std::size_t position)
      : prepared_(prepared),
        model_(*prepared.model),
        bits_(prepared.bits),
        key_(position - 1),
        state_(ball_matrix(tokens, prepared.bits)) {}

  Result<Alphas> run() {
    Alphas alphas(model_.layers.size(), model_.num_heads);
    for (layer_ = 0; layer_ < model_.layers.size(); ++layer_) {
      if (auto done = run_layer(alphas); !done) return tl::unexpected(done.error());
    }
    return alphas;
  }

 private:
  Result<void> run_layer(Alphas& alphas) {
    const LayerMaps& maps = prepared_.layers[layer_];
    const bool last = layer_ + 1 == model_.layers.size();  // whose outputs nobody reads
    const BallMatrix query = apply(maps.query, state_);
    const BallMatrix key = apply(maps.key, state_);
    const BallMatrix value = last ? BallMatrix() : apply(maps.value, state_);
    const BallMatrix gate = last || model_.attention != model::Attention::kSoftmaxGated
                                ? BallMatrix()
                                : apply(maps.gate, state_);
    for (const BallMatrix* part : {&query, &key, &value, &gate}) {
      auto fits = within_range(*part, bits_, layer_, "queries, keys, values or gates");
      if (!fits) return fits;
    }
    const std::size_t width = query.columns() / model_.num_heads;
    BallMatrix mixed{exact::Matrix<Integer>(state_.rows(), value.columns()),
                     std::vector<Integer>(state_.rows())};
    for (std::size_t head = 0; head < model_.num_heads; ++head) {
      const auto weights =
          attention(head, block(query, head * width, width), block(key, head * width, width));
      if (!weights) return tl::unexpected(weights.error());
      alphas(layer_, head) = alpha(*weights);
      if (!last) mix(*weights, value, gate, head, mixed);
    }
    if (last) return {};
    BallMatrix out = apply(maps.output, mixed);
    state_ = model_.residual ? out + state_ : std::move(out);
    return within_range(state_, bits_, layer_, "outputs");
  }

  // The weights of one head, row by row.
  Result<std::vector<std::vector<Bounds>>> attention(std::size_t head, const BallBlock& query,
                                                     const BallBlock& key) {
    std::vector<std::vector<Bounds>> rows;
    for (std::size_t i = 0; i < state_.rows(); ++i) {
      std::vector<Bounds> row;
      row.reserve(i + 1);
      for (std::size_t k = 0; k <= i; ++k) {
        row.push_back(inner_product(query, i, key, k, bits_));
        if (auto fits = within_range(row[k], bits_, layer_); !fits) {
          return tl::unexpected(fits.error());
        }
      }
      if (!to_weights(model_.attention, row, bits_)) return vague_row(layer_, head, i, bits_);
      rows.push_back(std::move(row));
    }
    return rows;
  }

  [[nodiscard]] Enclosure alpha(const std::vector<std::vector<Bounds>>& weights) const {
    Bounds sum;
    for (std::size_t i = key_; i < weights.size(); ++i) {
      sum.lower += weights[i][key_].lower;
      sum.upper += weights[i][key_].upper;
    }
    const Integer divisor = Integer(weights.size() - key_) << bits_;
    return {exact::make_rational(sum.lower, divisor), exact::make_rational(sum.upper, divisor)};
  }

  // Adds what one head attends to, its gate applied.
  void mix(const std::vector<std::vector<Bounds>>& weights, const BallMatrix& value,
           const BallMatrix& gate, std::size_t head, BallMatrix& mixed) const {
    const std::size_t width = value.columns() / model_.num_heads;
    const BallBlock values = block(value, head * width, width);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      BallRow row = combination(weights[i], values, bits_);
      if (gate.columns() != 0) {
        const Bounds logit{gate.centre(i, head) - gate.radius[i],
                           gate.centre(i, head) + gate.radius[i]};
        row = scaled(row, logistic(logit, bits_), bits_);
      }
      for (std::size_t c = 0; c < width; ++c) {
        mixed.centre(i, head * width + c) = std::move(row.centre[c]);
      }
      mixed.radius[i] = std::max(mixed.radius[i], row.radius);
    }
  }

  const PreparedModel& prepared_;
  const model::AttentionModel& model_;
  unsigned bits_;
  std::size_t key_;  // from 0
  std::size_t layer_ = 0;
  BallMatrix state_;
};

bool exceeds(const Enclosure& alpha, const Rational& epsilon) { return alpha.lower > epsilon; }
bool may_exceed(const Enclosure& alpha, const Rational& epsilon) { return alpha.upper > epsilon; }

bool decided(const Alphas& alphas, const Rational& epsilon) {
  for (std::size_t l = 0; l < alphas.rows(); ++l) {
    for (std::size_t h = 0; h < alphas.columns(); ++h) {
      if (may_exceed(alphas(l, h), epsilon) && !exceeds(alphas(l, h), epsilon)) return false;
    }
  }
  return true;
}

// Calls work(i) for every i < count, `jobs` threads at a time, this one among them; `finished` as
// sink_share() says.
void side_by_side(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t)>& finished) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto take = [&](bool tells) {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      const std::size_t so_far = ++done;
      if (tells && finished) finished(so_far);
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs, count); ++i) {
    others.emplace_back(take, false);
  }
  take(true);
}

Result<void> check_samples(const model::AttentionModel& model,
                           const std::vector<exact::RationalMatrix>& samples,
                           std::size_t position) {
  if (samples.empty()) return fail("SP1513", "the tokens", "no samples: a share of nothing");
  std::size_t rows = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::string place = "sample " + std::to_string(s);
    const exact::RationalMatrix& tokens = samples[s];
    if (tokens.columns() != model.d_model) {
      return fail("SP1505", place,
                  "rows of " + std::to_string(tokens.columns()) +
                      " numbers where the model's d_model is " + std::to_string(model.d_model));
    }
    if (tokens.rows() > kMaxSequenceRows) {
      return fail("SP1514", place,
                  std::to_string(tokens.rows()) + " rows where at most " +
                      std::to_string(kMaxSequenceRows) + " are followed");
    }
    if (position < 1 || position > tokens.rows()) {
      return fail("SP1513", "position " + std::to_string(position),
                  place + " has positions 1 to " + std::to_string(tokens.rows()));
    }
    rows += tokens.rows();
  }
  const std::size_t heads = model.layers.size() * model.num_heads;
  if (heads == 0) return fail("SP1513", "the model", "no layers or no heads: a share of nothing");
  if (rows > kMaxHeadRows / heads) {
    return fail("SP1514", "the tokens",
                std::to_string(rows) + " rows times " + std::to_string(heads) + " heads is over " +
                    std::to_string(kMaxHeadRows));
  }
  return {};
}

// Intervals lose some 16 bits per layer of width 64; start where a typical stack is decided.
unsigned first_bits(const SinkPrecision& precision, std::size_t depth) {
  constexpr std::size_t kWord = 64;
  if (precision.first != 0) return precision.first;
  const std::size_t needed = kWord + 16 * depth;
  return static_cast<unsigned>(
      std::min<std::size_t>((needed + kWord - 1) / kWord * kWord, precision.last));
}

void count(SinkShare& share) {
  for (const Alphas& alphas : share.alphas) {
    for (std::size_t l = 0; l < alphas.rows(); ++l) {
      for (std::size_t h = 0; h < alphas.columns(); ++h) {
        ++share.total;
        if (exceeds(alphas(l, h), share.epsilon)) ++share.certain;
        if (may_exceed(alphas(l, h), share.epsilon)) ++share.possible;
      }
    }
  }
}

}  // namespace

Rational SinkShare::lower() const { return exact::make_rational(certain, total); }
Rational SinkShare::upper() const { return exact::make_rational(possible, total); }

HeadShare head_share(const SinkShare& share, std::size_t layer, std::size_t head) {
  HeadShare result{share.alphas.front()(layer, head), share.alphas.front()(layer, head)};
  for (const Alphas& alphas : share.alphas) {
    const Enclosure& alpha = alphas(layer, head);
    result.smallest.lower = exact::min(result.smallest.lower, alpha.lower);
    result.smallest.upper = exact::min(result.smallest.upper, alpha.upper);
    result.largest.lower = exact::max(result.largest.lower, alpha.lower);
    result.largest.upper = exact::max(result.largest.upper, alpha.upper);
    if (exceeds(alpha, share.epsilon)) ++result.certain;
    if (may_exceed(alpha, share.epsilon)) ++result.possible;
  }
  return result;
}

Result<SinkShare> sink_share(const model::AttentionModel& model,
                             const std::vector<exact::RationalMatrix>& samples,
                             const Rational& epsilon, std::size_t position, unsigned jobs,
                             const SinkPrecision& precision,
                             const std::function<void(std::size_t)>& finished) {
  if (auto fits = check_samples(model, samples, position); !fits) {
    return tl::unexpected(fits.error());
  }
  SinkShare share{std::vector<Alphas>(samples.size()), epsilon, position};
  std::vector<std::size_t> open(samples.size());
  for (std::size_t s = 0; s < open.size(); ++s) open[s] = s;
  unsigned bits = first_bits(precision, model.layers.size());
  while (true) {
    const PreparedModel prepared = prepare(model, bits);
    std::vector<std::optional<exact::Error>> errors(samples.size());
    const auto pass = [&](std::size_t i) {
      const std::size_t s = open[i];
      auto alphas = ForwardPass(prepared, samples[s], position).run();
      if (alphas) share.alphas[s] = std::move(*alphas);
      if (!alphas) errors[s] = alphas.error();
    };
    side_by_side(open.size(), jobs, pass, finished);
    share.bits = bits;
    std::erase_if(open,
                  [&](std::size_t s) { return !errors[s] && decided(share.alphas[s], epsilon); });
    const bool last = bits >= precision.last;
    for (const std::size_t s : open) {
      const bool for_good = last || (errors[s] && errors[s]->code == "SP1511");
      if (!errors[s] || !for_good) continue;
      errors[s]->where = "sample " + std::to_string(s) + ", " + errors[s]->where;
      return tl::unexpected(*errors[s]);
    }
    if (last || open.empty()) break;
    bits = std::min(2 * bits, precision.last);
  }
  count(share);
  return share;
}

}  // namespace sinkproof::measure
