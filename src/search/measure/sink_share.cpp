#include "measure/sink_share.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "forward/pass.hpp"
#include "measure/side_by_side.hpp"
#include "model/forward_model.hpp"

namespace sinkproof::measure {
namespace {

using exact::Enclosure;
using exact::fail;
using exact::Rational;
using exact::Result;

// Below it alphas of 1e-9 have not the twelve digits they are printed with.
constexpr unsigned kFirstPrecision = 128;

tl::unexpected<exact::Error> too_large(std::size_t sample) {
  return fail("SP1511", "sample " + std::to_string(sample),
              "a value of the forward pass goes beyond 2^2048, or is known too poorly: scale the "
              "weights or the tokens down");
}

// The alphas of one sequence; nothing when a number is too large at this precision.
std::optional<Alphas> alphas_of(const forward::Prepared& prepared,
                                const exact::RationalMatrix& tokens, std::size_t position,
                                unsigned p) {
  const forward::Model& model = prepared.model();
  exact::Matrix<forward::Range> sums(model.blocks.size(), model.blocks.front().heads);
  const auto add = [&](std::size_t layer, std::size_t head, std::size_t row,
                       const forward::Weights& weights) {
    if (row < position) return;
    sums(layer, head).lower += weights.keys[position - 1].lower;
    sums(layer, head).upper += weights.keys[position - 1].upper;
  };
  if (!forward::pass(prepared, tokens, 1, p, add)) return std::nullopt;
  const Rational rows(tokens.rows() - position + 1);
  Alphas alphas(sums.rows(), sums.columns());
  for (std::size_t l = 0; l < sums.rows(); ++l) {
    for (std::size_t h = 0; h < sums.columns(); ++h) {
      const Enclosure sum = forward::enclosure(sums(l, h), p);
      alphas(l, h) = {sum.lower / rows, sum.upper / rows};
    }
  }
  return alphas;
}

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

Result<void> check_samples(const model::AttentionModel& model,
                           const std::vector<exact::RationalMatrix>& samples,
                           std::size_t position) {
  if (samples.empty()) return fail("SP1513", "the tokens", "must hold at least one sequence");
  std::size_t rows = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::string place = "sample " + std::to_string(s);
    const exact::RationalMatrix& tokens = samples[s];
    if (tokens.columns() != model.d_model) {
      return fail("SP1505", place,
                  "rows of " + std::to_string(tokens.columns()) +
                      " numbers, but the model's d_model is " + std::to_string(model.d_model));
    }
    if (tokens.rows() > kMaxSequenceRows) {
      return fail("SP1514", place,
                  std::to_string(tokens.rows()) + " rows, but at most " +
                      std::to_string(kMaxSequenceRows) + " are supported; give shorter sequences");
    }
    if (position < 1 || position > tokens.rows()) {
      return fail("SP1513", "position " + std::to_string(position),
                  place + " has positions 1 to " + std::to_string(tokens.rows()));
    }
    rows += tokens.rows();
  }
  const std::size_t heads = model.layers.size() * model.num_heads;
  if (heads == 0) return fail("SP1513", "the model", "must have at least one layer and one head");
  if (rows > kMaxHeadRows / heads) {
    return fail("SP1514", "the tokens",
                std::to_string(rows) + " rows times " + std::to_string(heads) + " heads is over " +
                    std::to_string(kMaxHeadRows));
  }
  return {};
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
                             const std::function<void(std::size_t)>& finished) {
  if (auto fits = check_samples(model, samples, position); !fits) {
    return tl::unexpected(fits.error());
  }
  const forward::Model exact_model = model::forward_model(model);
  const forward::Prepared prepared(exact_model);
  SinkShare share{std::vector<Alphas>(samples.size()), epsilon, position};
  std::vector<unsigned> bits(samples.size());
  const auto follow = [&](std::size_t s) {
    for (const unsigned p : forward::kPrecisions) {
      if (p < kFirstPrecision) continue;
      auto alphas = alphas_of(prepared, samples[s], position, p);
      if (!alphas) continue;
      share.alphas[s] = std::move(*alphas);
      bits[s] = p;
      if (decided(share.alphas[s], epsilon)) return;
    }
  };
  side_by_side(samples.size(), jobs, follow, finished);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (bits[s] == 0) return too_large(s);
    share.bits = std::max(share.bits, bits[s]);
  }
  count(share);
  return share;
}

}  // namespace sinkproof::measure
