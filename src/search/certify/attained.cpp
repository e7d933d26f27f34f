#include "certify/attained.hpp"

#include <utility>

#include "attention/witness.hpp"
#include "forward/rollout.hpp"

namespace sinkproof::certify {
namespace {

using exact::Enclosure;
using exact::Rational;

// The checker tries 64 to 2048 bits; what holds at one of them is enough.
constexpr unsigned kPrecisions[] = {128, 512, 2048};

// 2^-64, or 2^-40 of the larger end.
bool is_narrow(const Enclosure& value) {
  const Rational width = value.upper - value.lower;
  const Rational size = exact::max(exact::abs(value.lower), exact::abs(value.upper));
  return width <= exact::max(exact::power_of_two(-64), size * exact::power_of_two(-40));
}

// What `at` encloses at the first precision where that is narrow, else the last one it encloses at
// all. Where W_Q is large and W_K small, a pass may follow at a precision that tells little.
template <typename At>
std::optional<Enclosure> enclosed(const At& at) {
  std::optional<Enclosure> best;
  for (const unsigned p : kPrecisions) {
    if (std::optional<Enclosure> found = at(p)) best = std::move(found);
    if (best && is_narrow(*best)) break;
  }
  return best;
}

exact::RationalMatrix rows_of(const Witness& witness) {
  exact::RationalMatrix rows(witness.row, witness.tokens.front().size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) rows(i, c) = witness.tokens[i][c];
  }
  return rows;
}

}  // namespace

std::optional<Enclosure> attained_loss(const forward::Prepared& model, const Witness& witness) {
  const exact::RationalMatrix rows = rows_of(witness);
  const Rational target = check::target(rows, witness.trigger, witness.row, witness.coordinate,
                                        model.model().blocks.front().residual);
  return enclosed([&](unsigned p) -> std::optional<Enclosure> {
    const auto out = forward::pass(model, rows, witness.row, p);
    if (!out) return std::nullopt;
    const Enclosure entry = forward::entry(*out, witness.row, witness.coordinate, p);
    if (witness.sign > 0) return Enclosure{entry.lower - target, entry.upper - target};
    return Enclosure{target - entry.upper, target - entry.lower};
  });
}

std::optional<Enclosure> attained_attention(const forward::Prepared& model, const Witness& witness,
                                            Slot slot, std::size_t head, std::size_t layer) {
  const exact::RationalMatrix rows = rows_of(witness);
  return enclosed([&](unsigned p) -> std::optional<Enclosure> {
    Enclosure paid{0, 0};
    const auto out = forward::pass(
        model, rows, witness.row, p,
        [&](std::size_t l, std::size_t h, std::size_t row, const forward::Weights& weights) {
          if (l != layer || h != head || row != witness.row) return;
          paid = forward::enclosure(slot == Slot::kNull ? weights.null : weights.keys.front(), p);
        });
    return out ? std::optional(paid) : std::nullopt;
  });
}

std::optional<Enclosure> attained_rollout(const forward::Prepared& model, const Witness& witness) {
  return enclosed([&](unsigned p) -> std::optional<Enclosure> {
    forward::Rollout rollout(model.maps().size(), witness.row, p);
    forward::Range arrives;  // the last that is told is the witness's row
    const auto out = forward::pass(
        model, rows_of(witness), witness.row, p,
        [&](std::size_t layer, std::size_t, std::size_t row, const forward::Weights& weights) {
          arrives = rollout.follow(layer, row, weights.keys);
        });
    return out ? std::optional(forward::enclosure(arrives, p)) : std::nullopt;
  });
}

}  // namespace sinkproof::certify
