// LAYER_RULES.md sections 5.5 and 5.6.
#include "check/layer_rules.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

const QueryRanges& ranges_of(const HeadRanges& head, Rows rows) {
  return rows == Rows::kTrigger ? head.trigger : head.content;
}

// What a slot is paid: its own kernel over the sum of all (over the number of keys beside BOS where
// weights are not normalised).
struct Share {
  Rational own;
  Rational total;
};

// At its least: the own kernel least, all others greatest; and the reverse.
Share extreme_share(const Layer& layer, const QueryRanges& range, Slot slot, const Rational& m,
                    const Rational& triggers, bool least) {
  const auto own = [&](const Range& of) { return least ? of.least : of.greatest; };
  const auto other = [&](const Range& of) { return least ? of.greatest : of.least; };
  if (!layer.attention.normalised) return {own(range.bos), m + triggers};
  const bool bos = slot == Slot::kBos;
  const Rational mine = own(bos ? range.bos : range.null);
  const Rational others = other(bos ? range.null : range.bos) + m * other(range.content) +
                          triggers * other(range.trigger);
  require(mine + others > 0, "layer-attention", "a row may have no weight at all");
  return {mine, mine + others};
}

// Calls `visit` with the extreme share of each head in the shortest and the longest row.
template <typename Visit>
void for_each_extreme(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                      Slot slot, bool least, const Visit& visit) {
  const ContentKeys count = content_keys(layer, rows);
  const Rational triggers = rows == Rows::kPre ? 0 : 1;
  for (const HeadRanges& head : ranges) {
    for (const std::size_t keys : {count.least, count.most}) {
      visit(extreme_share(layer, ranges_of(head, rows), slot, Rational(keys), triggers, least));
    }
  }
}

}  // namespace

ContentKeys content_keys(const Layer& layer, Rows rows) {
  return {rows == Rows::kPost ? 2U : 1U, layer.length() - 2};
}

void rule_layer_floor(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                      Slot slot, const Rational& lower) {
  for_each_extreme(layer, ranges, rows, slot, true, [&](const Share& share) {
    require(lower * share.total <= share.own, "layer-attention",
            "attention may be below the floor");
  });
}

void rule_layer_ceiling(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                        Slot slot, const Rational& upper) {
  for_each_extreme(layer, ranges, rows, slot, false, [&](const Share& share) {
    require(share.own <= upper * share.total, "layer-attention",
            "attention may be above the ceiling");
  });
}

}  // namespace sinkproof::check
