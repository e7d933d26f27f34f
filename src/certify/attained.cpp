#include "certify/attained.hpp"

#include "forward/rollout.hpp"

namespace sinkproof::certify {
namespace {

using exact::Enclosure;
using exact::Rational;

// The checker tries 64 to 2048 bits; what holds at one of them is enough.
constexpr unsigned kPrecisions[] = {128, 512, 2048};

exact::RationalMatrix rows_of(const Witness& witness) {
  exact::RationalMatrix rows(witness.row, witness.tokens.front().size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) rows(i, c) = witness.tokens[i][c];
  }
  return rows;
}

Rational target_of(const Witness& witness, bool residual) {
  const std::size_t r = witness.coordinate;
  Rational own = residual ? witness.tokens[witness.row - 1][r] : Rational(0);
  if (witness.row != witness.trigger) return own;
  Rational sum = 0;
  for (std::size_t i = 1; i < witness.row; ++i) sum += witness.tokens[i][r];
  return own + sum / Rational(witness.row - 1);
}

}  // namespace

std::optional<Enclosure> attained_loss(const forward::Prepared& model, const Witness& witness) {
  const Rational target = target_of(witness, model.model().blocks.front().residual);
  const exact::RationalMatrix rows = rows_of(witness);
  for (const unsigned p : kPrecisions) {
    const auto out = forward::pass(model, rows, witness.row, p);
    if (!out) continue;
    const Enclosure entry = forward::entry(*out, witness.row, witness.coordinate, p);
    if (witness.sign > 0) return Enclosure{entry.lower - target, entry.upper - target};
    return Enclosure{target - entry.upper, target - entry.lower};
  }
  return std::nullopt;
}

std::optional<Enclosure> attained_attention(const forward::Prepared& model, const Witness& witness,
                                            Slot slot, std::size_t head, std::size_t layer) {
  const exact::RationalMatrix rows = rows_of(witness);
  for (const unsigned p : kPrecisions) {
    Enclosure paid{0, 0};
    const auto out = forward::pass(
        model, rows, witness.row, p,
        [&](std::size_t l, std::size_t h, std::size_t row, const forward::Weights& weights) {
          if (l != layer || h != head || row != witness.row) return;
          paid = forward::enclosure(slot == Slot::kNull ? weights.null : weights.keys.front(), p);
        });
    if (out) return paid;
  }
  return std::nullopt;
}

std::optional<Enclosure> attained_rollout(const forward::Prepared& model, const Witness& witness) {
  for (const unsigned p : kPrecisions) {
    forward::Rollout rollout(model.maps().size(), witness.row, p);
    forward::Range arrives;  // the last that is told is the witness's row
    const auto out = forward::pass(
        model, rows_of(witness), witness.row, p,
        [&](std::size_t layer, std::size_t, std::size_t row, const forward::Weights& weights) {
          arrives = rollout.follow(layer, row, weights.keys);
        });
    if (out) return forward::enclosure(arrives, p);
  }
  return std::nullopt;
}

}  // namespace sinkproof::certify
