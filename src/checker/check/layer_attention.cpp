// CHECKPOINT_RULES.md, 4.10.
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/shapes.hpp"

namespace sinkproof::check {

void rule_layer_attention(const Layer& layer, const certificate::Bound& bound) {
  const bool floor = is_floor(bound.readout);
  const Key slot = is_null(bound.readout) ? kNullSlot : kBosKey;
  const ContentKeys count = content_keys(layer, *bound.rows);
  for_each_head(layer, bound, [&](std::size_t h) {
    const auto classes = classes_of(layer.ranges.at(h), *bound.rows);
    // A floor wants the slot's kernel at its least and all others at their greatest.
    const auto end = [&](std::size_t g, bool greatest) {
      return greatest ? classes[g].kernel.greatest : classes[g].kernel.least;
    };
    const exact::Rational paid = end(slot, !floor);
    for (const std::size_t content : {count.least, count.most}) {
      const Shape shape(*bound.rows, content);
      exact::Rational total = shape.keys;
      if (layer.kind.normalised) {
        total = paid;
        for (std::size_t g = 0; g < kKeys; ++g) {
          if (g != slot) total += shape.counts[g] * end(g, floor);
        }
        require(total > 0, "layer-attention", "a row may have no weight at all");
      }
      const bool holds = floor ? bound.lower * total <= paid : paid <= bound.upper * total;
      require(holds, "layer-attention", "attention may be beyond the bound");
    }
  });
}

}  // namespace sinkproof::check
