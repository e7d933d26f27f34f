// CHECKPOINT_RULES.md, 4.10.
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/shapes.hpp"

namespace sinkproof::check {
namespace {

using certificate::Interval;
using exact::Rational;

// What the slot is paid: its own kernel over the sum of all (over the number of keys beside BOS
// where weights are not normalised). A floor wants it at its least: the own kernel least, all
// others greatest; a ceiling the reverse.
struct Share {
  Rational own;
  Rational total;
};

Share extreme_share(const Layer& layer, const certificate::QueryRanges& range,
                    const certificate::Bound& bound, std::size_t content_keys) {
  const bool least = is_floor(bound.readout);
  const auto own = [&](const Interval& of) { return least ? of.least : of.greatest; };
  const auto other = [&](const Interval& of) { return least ? of.greatest : of.least; };
  const Rational m(content_keys);
  const Rational triggers = *bound.rows == Rows::kPre ? 0 : 1;
  if (!layer.kind.normalised) return {own(range.bos.kernel), m + triggers};
  const Interval null = null_kernel(range);
  const bool is_bos = !is_null(bound.readout);
  const Rational mine = own(is_bos ? range.bos.kernel : null);
  const Rational others = other(is_bos ? null : range.bos.kernel) +
                          m * other(range.content.kernel) + triggers * other(range.trigger.kernel);
  require(mine + others > 0, "layer-attention", "a row may have no weight at all");
  return {mine, mine + others};
}

}  // namespace

void rule_layer_attention(const Layer& layer, const std::vector<certificate::HeadRanges>& ranges,
                          const certificate::Bound& bound) {
  const ContentKeys count = content_keys(layer, *bound.rows);
  for_each_head(layer, bound, [&](std::size_t h) {
    for (const std::size_t keys : {count.least, count.most}) {
      const Share share = extreme_share(layer, ranges_of(ranges[h], *bound.rows), bound, keys);
      const bool holds = is_floor(bound.readout) ? bound.lower * share.total <= share.own
                                                 : share.own <= bound.upper * share.total;
      require(holds, "layer-attention", "attention may be beyond the bound");
    }
  });
}

}  // namespace sinkproof::check
