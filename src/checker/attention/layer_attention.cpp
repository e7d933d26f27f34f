// CHECKPOINT_RULES.md, 4.10.
#include "attention/rules.hpp"
#include "attention/shapes.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {

namespace {

// The attention of one head on the slot in a row: a lower bound of floors, else an upper one.
exact::Rational paid_by(const Layer& layer, const certificate::HeadRanges& head, const Shape& shape,
                        Key slot, bool floor) {
  const auto classes = classes_of(head, shape.rows);
  // A floor wants the slot's kernel at its least and all others at their greatest.
  const auto end = [&](std::size_t g, bool greatest) {
    return greatest ? classes[g].kernel.greatest : classes[g].kernel.least;
  };
  const exact::Rational paid = end(slot, !floor);
  if (!layer.kind.normalised) return paid / shape.keys;
  exact::Rational total = paid;
  for (std::size_t g = 0; g < kKeys; ++g) {
    if (g != slot) total += shape.counts[g] * end(g, floor);
  }
  require(total > 0, "layer-attention", "a row may have no weight at all");
  return paid / total;
}

}  // namespace

exact::Rational layer_attention_bound(const Layer& layer, const certificate::Bound& asked) {
  const bool floor = is_floor(asked.readout);
  const Key slot = is_null(asked.readout) ? kNullSlot : kBosKey;
  const ContentKeys count = content_keys(layer, *asked.rows);
  std::optional<exact::Rational> bound;
  for_each_head(layer, asked, [&](std::size_t h) {
    for (const std::size_t content : {count.least, count.most}) {
      const Shape shape(*asked.rows, content);
      const exact::Rational paid = paid_by(layer, layer.ranges.at(h), shape, slot, floor);
      if (!bound || (floor ? paid < *bound : paid > *bound)) bound = paid;
    }
  });
  return bound.value();
}

void require_bound(const Layer& layer, const Bound& bound,
                   const certificate::ByLayerAttention& /*by*/) {
  const exact::Rational proved = layer_attention_bound(layer, bound);
  const bool holds = is_floor(bound.readout) ? bound.lower <= proved : proved <= bound.upper;
  require(holds, "layer-attention", "attention may be beyond the bound");
}

}  // namespace sinkproof::check
