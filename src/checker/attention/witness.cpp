#include "attention/witness.hpp"

#include "attention/head.hpp"
#include "certificate/rule.hpp"
#include "forward/rollout.hpp"

namespace sinkproof::check {
namespace {

using certificate::Bound;
using certificate::Witness;
using exact::Rational;

bool shows_loss(const forward::Model& model, const forward::Balls& out, const Witness& witness,
                const Rational& lower, unsigned p) {
  const Rational aim = target(witness.tokens, witness.trigger, witness.row, witness.coordinate,
                              model.blocks.front().residual);
  const exact::Enclosure entry = forward::entry(out, witness.row, witness.coordinate, p);
  return lower <= (witness.sign > 0 ? entry.lower - aim : aim - entry.upper);
}

// Whether a head's weight on the slot, or the rollout, is beyond what is proved of it.
bool is_beyond(const forward::Range& range, const Bound& bound, unsigned p) {
  const exact::Enclosure paid = forward::enclosure(range, p);
  return is_floor(bound.readout) ? paid.upper <= bound.upper : paid.lower >= bound.lower;
}

// The pass over the witness's tokens at this precision.
bool shows(const forward::Prepared& model, const Bound& bound, unsigned p) {
  const Witness& witness = *bound.witness;
  bool attention = false;
  const std::size_t depth = model.maps().size();
  const bool of_rollout = is_rollout(bound.readout);
  forward::Rollout rollout(depth, of_rollout ? witness.row : 1, p);
  const auto observe = [&](std::size_t layer, std::size_t head, std::size_t row,
                           const forward::Weights& weights) {
    forward::Range paid = is_null(bound.readout) ? weights.null : weights.keys.front();
    bool meant = !bound.head || (*bound.head == head && *bound.layer == layer);
    if (of_rollout) {
      paid = rollout.follow(layer, row, weights.keys);
      meant = layer + 1 == depth;
    }
    if (meant && row == witness.row && is_beyond(paid, bound, p)) attention = true;
  };
  const auto out =
      forward::pass(model, exact::rows(witness.tokens, 0, witness.row), witness.row, p, observe);
  if (!out) return false;
  if (bound.readout != certificate::Readout::kLoss) return attention;
  return shows_loss(model.model(), *out, witness, bound.lower, p);
}

}  // namespace

Rational target(const exact::RationalMatrix& tokens, std::size_t trigger, std::size_t row,
                std::size_t coordinate, bool residual) {
  Rational token = residual ? tokens(row - 1, coordinate) : Rational(0);
  if (row != trigger) return token;
  Rational sum = 0;
  for (std::size_t k = 1; k < row; ++k) sum += tokens(k, coordinate);
  return token + sum / Rational(row - 1);
}

exact::Enclosure loss(const forward::Balls& out, const exact::RationalMatrix& tokens,
                      std::size_t trigger, std::size_t row, bool residual, unsigned p) {
  exact::Enclosure result{0, 0};
  for (std::size_t r = 0; r < tokens.columns(); ++r) {
    const Rational aim = target(tokens, trigger, row, r, residual);
    const exact::Enclosure entry = forward::entry(out, row, r, p);
    const Rational above = entry.lower - aim;
    const Rational below = aim - entry.upper;
    result.lower = exact::max(result.lower, exact::max(above, below));
    result.upper = exact::max(result.upper,
                              exact::max(Rational(entry.upper - aim), Rational(aim - entry.lower)));
  }
  return result;
}

void require_attained(const forward::Prepared& model, const Bound& bound, const std::string& name) {
  if (bound.readout == certificate::Readout::kLoss && bound.lower == 0) return;
  for (const unsigned p : forward::kPrecisions) {
    if (shows(model, bound, p)) return;
  }
  require(false, name, "the witness does not attain the other bound");
}

}  // namespace sinkproof::check
